"""The configuration of a hub with a container for each student, on a machine with Docker.

The image is made from the Dockerfile beside this file. README.md says how.
"""

c = get_config()  # noqa: F821 (JupyterHub gives it to its configuration files)

c.JupyterHub.spawner_class = "docker"
c.JupyterHub.hub_ip = "172.17.0.1"  # where containers reach this machine in Docker's own network, and nobody else does
c.DockerSpawner.image = "bertlab-hub"
c.DockerSpawner.volumes = {"bertlab-{username}": "/home/student"}
c.DockerSpawner.remove = True  # the container; the volume stays
c.Spawner.environment = {"OMP_NUM_THREADS": "1"}
c.Spawner.mem_limit = "2G"  # JupyterLab's server and lesson 8, the largest, take 1.5 GiB
c.Spawner.cpu_limit = 1
c.Spawner.http_timeout = 300  # when a class starts at once, a server takes longer than the 30 seconds of the default
c.Spawner.args = ["--MappingKernelManager.cull_idle_timeout=3600"]

# Whoever has an account and a password on this machine, and is named here. Other ways to log in are JupyterHub's.
c.Authenticator.allowed_users = {"anna", "ben"}
