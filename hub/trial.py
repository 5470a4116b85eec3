"""A hub to measure with thirty.py, on a Linux machine of your own: as root, `jupyterhub -f trial.py`.

The settings are those of tljh.py. Everybody logs in with one password, into an account of the machine with that name.
Memory and processor are limited by control groups (version 1), as systemd and Docker do it.
"""

from pathlib import Path

from jupyterhub.spawner import LocalProcessSpawner

c = get_config()  # noqa: F821 (JupyterHub gives it to its configuration files)
load_subconfig("tljh.py", str(Path(__file__).parent))  # noqa: F821


class Limited(LocalProcessSpawner):
    """Starts a server in groups of its own."""

    async def start(self) -> tuple[str, int]:
        """Start the server, and put it into its groups; what it starts, such as kernels, is born there."""
        address = await super().start()
        for controller, name, value in (
            ("memory", "memory.limit_in_bytes", self.mem_limit),
            ("cpu", "cpu.cfs_quota_us", int(100_000 * self.cpu_limit)),  # of 100,000
        ):
            group = Path("/sys/fs/cgroup", controller, "hub", self.user.name)
            group.mkdir(parents=True, exist_ok=True)
            (group / name).write_text(str(value))
            (group / "cgroup.procs").write_text(str(self.pid))
        return address


c.JupyterHub.spawner_class = Limited
c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.user_password = "thirty students"
c.Authenticator.allow_all = True
c.JupyterHub.bind_url = "http://127.0.0.1:8000"
c.JupyterHub.db_url = "sqlite:///:memory:"
