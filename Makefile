# Everything goes through `python3 -m scripts`; `make help` lists the targets.
PYTHON ?= python3
PORT ?= 8000
ARGS ?=
MINUTES ?= 10

.DEFAULT_GOAL := help
.PHONY: help run demo test lint messages bench soak screenshots ebpf agent-dist stop clean

help: ## this list
	@sed -n 's/^\([a-z%-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

run: ## everything on this machine, this machine's own disks scored live; PORT=8000
	@$(PYTHON) -m scripts run --port $(PORT)

demo: ## the same with a simulated fleet of 200 disks and its month of history; PORT=8000
	@$(PYTHON) -m scripts demo --port $(PORT)

test: ## all tests; ARGS="tests/setup -x" goes to pytest
	@$(PYTHON) -m scripts test -- $(ARGS)

lint: ## ruff and mypy
	@$(PYTHON) -m scripts lint

messages: ## find what is marked for translation and bring the catalogues of locale/ up to date
	@$(PYTHON) -m scripts messages

bench: ## all benchmarks, each prints one JSON object
	@$(PYTHON) -m scripts bench

bench-%: ## one benchmark
	@$(PYTHON) -m scripts bench $*

soak: ## kill -9 of every process under load, again and again; MINUTES=10
	@$(PYTHON) -m scripts soak --minutes $(MINUTES) -- $(ARGS)

screenshots: ## pictures of the pages of what runs here; ARGS="--width 360 --full"
	@$(PYTHON) -m scripts screenshots -- $(ARGS)

ebpf: ## build the agent's program for the kernel, which then times each I/O; needs clang
	@$(PYTHON) -m scripts ebpf

agent-dist: ## the agent's wheel and its single file, in var/dist
	@$(PYTHON) -m scripts agent-dist

stop: ## stop what runs
	@$(PYTHON) -m scripts stop

clean: ## remove var, .venv and node_modules, data included
	@$(PYTHON) -m scripts clean
