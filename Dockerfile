# One image for web, worker, beat and agent; which of them it is, the command says (docker-compose.yml).
FROM node:22-bookworm-slim AS frontend
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund --omit=dev

FROM python:3.11-slim-bookworm AS packages
WORKDIR /srv/plimsoll
RUN python -m venv .venv
COPY requirements.txt ./
COPY agent agent
RUN .venv/bin/pip install --no-cache-dir --disable-pip-version-check -r requirements.txt

FROM python:3.11-slim-bookworm
# Files belong to root and the processes do not run as root: nothing in the image can be changed from inside.
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin plimsoll
WORKDIR /srv/plimsoll
ENV PATH=/srv/plimsoll/.venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
COPY --from=packages /srv/plimsoll/.venv .venv
COPY --from=frontend /build/node_modules node_modules
COPY manage.py package.json ./
COPY agent agent
COPY scripts scripts
COPY sla sla
COPY static static
COPY locale locale
COPY templates templates
# The key signs nothing: it is gone with this step. Volumes begin as the two folders, so that they belong to the user.
RUN SECRET_KEY=only-to-collect-static-files python -m scripts.prepare static languages \
    && install -d -o plimsoll -g plimsoll -m 0700 /data /agent
USER 10001:10001
EXPOSE 8000
CMD ["granian", "--interface", "wsgi", "--host", "0.0.0.0", "--port", "8000", "sla.wsgi:application"]
