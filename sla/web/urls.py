"""Where the pages are mounted."""

from django.urls import include, path

from sla.web import agent_files, agent_key, agents_page, fleet_page, log_page, views_page, words_script

urlpatterns = [
    path("", fleet_page.fleet, name="fleet"),
    path("disks/", include("sla.web.disk_urls")),
    path("views", views_page.views, name="views"),
    path("views/<int:view_id>/drop", views_page.drop, name="view_drop"),
    path("log", log_page.log_page, name="log"),
    path("agents/key", agent_key.agent_key, name="agent_key"),
    path("jsi18n/<slug:language>.js", words_script.words_script, name="words_script"),
    path("agent/install.sh", agent_files.install_script, name="agent_install"),
    path("agent/plimsoll-agent.pyz", agent_files.agent_file, name="agent_file"),
    path("agent/plimsoll-agent.pyz.sha256", agent_files.checksum, name="agent_checksum"),
    path("agents", agents_page.agents, name="agents"),
    path("", include("sla.web.pools.urls")),
    path("", include("sla.web.incidents.urls")),
    path("", include("sla.web.contracts.urls")),
    path("", include("sla.web.portal.urls")),
    path("", include("sla.web.people.urls")),
    path("", include("sla.web.noc.urls")),
    path("", include("sla.web.reports.urls")),
    path("", include("sla.web.notifications.urls")),
]
