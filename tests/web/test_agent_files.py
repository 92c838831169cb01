"""The installer and the agent's file, for anybody, cacheable, and fitting together."""

import hashlib
import subprocess
import zipfile
from io import BytesIO

from django.test import Client

from plimsoll_agent import __version__


def test_the_installer_names_this_server_and_the_checksum_of_its_file() -> None:
    client = Client()
    script, file = client.get("/agent/install.sh"), client.get("/agent/plimsoll-agent.pyz")
    text, digest = script.content.decode(), hashlib.sha256(file.content).hexdigest()
    assert "URL='http://testserver'" in text and f"SHA256='{digest}'" in text and f"VERSION='{__version__}'" in text
    assert "@" not in text.split("arguments()")[0].replace('"$@"', "")
    assert client.get("/agent/plimsoll-agent.pyz.sha256").content.decode() == f"{digest}  plimsoll-agent.pyz\n"
    assert subprocess.run(["sh", "-n"], input=script.content, check=False).returncode == 0
    assert zipfile.ZipFile(BytesIO(file.content)).testzip() is None


def test_all_three_are_public_and_kept_for_minutes() -> None:
    client = Client()
    for address in ("install.sh", "plimsoll-agent.pyz", "plimsoll-agent.pyz.sha256"):
        response = client.get(f"/agent/{address}")
        assert response.status_code == 200 and response["Cache-Control"] == "public, max-age=300"
        assert "Set-Cookie" not in response
        assert client.post(f"/agent/{address}").status_code in (403, 405)
    assert "Host" in client.get("/agent/install.sh")["Vary"]
    tag = client.get("/agent/plimsoll-agent.pyz")["ETag"]
    assert client.get("/agent/plimsoll-agent.pyz", headers={"If-None-Match": tag}).status_code == 304


def test_a_made_up_host_gets_no_script() -> None:
    assert Client().get("/agent/install.sh", headers={"Host": "evil.example';rm -rf /;'"}).status_code == 400
