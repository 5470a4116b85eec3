# make lab opens the lessons, make test passes the tests, make help lists the rest.
#
# For GNU make 3.81 (macOS) and later; recipes are POSIX sh. On Windows without make, see INSTALL.md.

VENV   = .venv
STAMP  = $(VENV)/.installed
PY     = "$(CURDIR)/$(VENV)/bin/python"
PYTHON ?=
WORK   ?= work
TEACH  ?= teach
DECKS  ?= build/decks
SITE   ?= build/site
IP     ?= 127.0.0.1
PORT   ?= 8888
LESSON = 01_embedding_layer.ipynb

SYSTEM := $(shell uname -s)
CPU    := $(shell uname -m)
ROOT   := $(filter 0,$(shell id -u))

help:
	@echo 'make lab        open the lessons in JupyterLab, in work/, your own copy of them'
	@echo '                (make lab IP=0.0.0.0 PORT=8888 inside a container)'
	@echo 'make present    the same in teach/, a copy with the speaker notes, to run cells from beside the slides'
	@echo 'make decks      write the lessons as slides that open in a browser without a network, into $(DECKS)/'
	@echo 'make site       write the course as web pages for students: lessons to read or print, slides, quiz, into $(SITE)/'
	@echo 'make test       check the code, run lessons 1 to 6 and compare: some 3 minutes'
	@echo 'make test-all   the same, then lessons 7 and 8, all of them solved, on another BERT and on other CPU kernels, a browser'
	@echo 'make notebooks  run the notebooks and store their outputs'
	@echo 'make solved     the lessons with their exercises solved, run, in build/solved: for instructors'
	@echo 'make pictures   draw the pictures of README.md anew'
	@echo 'make clean      remove the virtual environment and the caches; work/ and teach/ stay'
	@echo
	@echo 'The first of them to run installs what it needs into $(VENV)/, with uv where there is one, else with pip.'
	@echo 'PYTHON=... names the Python to use.'

# ---------------------------------------------------------------------------------------------- installation

# Students install the extra lab, for make lab; make decks and make site add theirs, and make test its own. Each
# has a stamp that holds the folder that it was made in: a clone that was moved or renamed is installed again.
ifneq ($(shell cat $(STAMP) 2>/dev/null),$(CURDIR))
.PHONY: $(STAMP)
endif
.NOTPARALLEL:

CANDIDATES = $(if $(PYTHON),"$(PYTHON)",python3.11 python3.12 python3.13 python3.14 python3 python)

# One sentence says what to type on this system.
define NO_PYTHON
if command -v apt-get >/dev/null; then type="sudo apt install python3 python3-venv"; \
elif command -v dnf >/dev/null; then type="sudo dnf install python3"; \
elif command -v brew >/dev/null; then type="brew install python@3.13"; \
else type=; fi; \
if [ -n "$$type" ]; then echo "bertlab needs Python 3.11 or later, with venv. Type: $$type"; \
else echo "bertlab needs Python 3.11 or later, with venv. Get it from https://www.python.org/downloads/"; fi
endef

define INTEL_MAC
PyTorch publishes no current packages for Macs with an Intel processor on PyPI. Please install with conda:

  conda env create -f environment.yml
  conda activate bertlab
  python -m bertlab copy work
  cd work
  jupyter lab
endef
export INTEL_MAC

# Where there is uv, it makes the environment (with a Python that it fetches where there is none) and installs, quicker
# than pip; UV= on the command line does without. What of pip's lines is shown, see PROGRESS.
UV := $(shell command -v uv 2>/dev/null)
ifneq ($(UV),)
INSTALL  = "$(UV)" pip install --python $(PY)
CPU_ONLY = UV_HTTP_TIMEOUT=15 $(INSTALL) --no-deps
SHOWN    = cat
else
INSTALL  = PYTHONUNBUFFERED=1 $(PY) -m pip --disable-pip-version-check install
CPU_ONLY = $(INSTALL) --no-deps --retries 0 --timeout 15
SHOWN    = sh -c "$$PROGRESS"
endif

# PyTorch's own CPU build first: on Linux the ordinary one brings gigabytes of GPU libraries along.
ifeq ($(SYSTEM),Linux)
CPU_TORCH = $(CPU_ONLY) --index-url https://download.pytorch.org/whl/cpu "$$(grep '^torch==' constraints.txt)"
else
CPU_TORCH = true
endif

# Shows how far pip is: the packages that it fetches and, since it says nothing while it writes them, how many of them
# are there. In a terminal that is one line that changes; elsewhere a line for each large package, and one at the end.
define PROGRESS
fetched=0 ticker=
written() { ls -d $(VENV)/lib/python*/site-packages/*.dist-info 2>/dev/null | wc -l; }
while IFS= read -r line; do
    case $$line in
    *Downloading*.whl*|*"Using cached"*.whl*|*Processing*.whl*)
        fetched=$$((fetched + 1))
        if [ -t 1 ]; then printf '\r    %s packages fetched ' $$fetched
        else case $$line in *" MB)"*) echo "   $$line";; esac; fi;;
    "Installing collected packages: "*)
        all=$$(($$(echo "$$line" | tr -dc , | wc -c) + 1)) before=$$(($$(written)))
        if [ -t 1 ]; then
            while kill -0 $$$$ 2>/dev/null; do
                printf '\r    %s of %s packages written into $(VENV)/ ' $$(($$(written) - before)) $$all; sleep 1
            done & ticker=$$!
        else echo "    Writing $$all packages into $(VENV)/"; fi;;
    esac
done
if [ -n "$$ticker" ]; then kill $$ticker; fi
if [ -t 1 ] && [ $$fetched -gt 0 ]; then echo; fi
endef
export PROGRESS

$(STAMP): pyproject.toml constraints.txt
	@if [ "$(SYSTEM) $(CPU)" = "Darwin x86_64" ]; then echo "$$INTEL_MAC" >&2; exit 1; fi
	@echo "Installing bertlab into $(VENV)/, once: 400 MB to download, 1.7 GB on disk, some three minutes."
ifneq ($(UV),)
	@rm -f $(STAMP); $(PY) -m pip --version >/dev/null 2>&1 || { rm -rf $(VENV); \
	    "$(UV)" venv --quiet --seed --python "$(if $(PYTHON),$(PYTHON),>=3.11)" $(VENV); }
	@echo "1 of 3: a virtual environment, made with uv"
else
	@rm -f $(STAMP); found=; seen=; \
	for python in $(CANDIDATES); do \
	    version=$$("$$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue; \
	    if ! "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
	        seen="$$seen $$python (Python $$version: too old)"; \
	    elif ! "$$python" -c 'import venv, ensurepip' 2>/dev/null; then \
	        seen="$$seen $$python (Python $$version: no venv or ensurepip)"; \
	    else found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then { $(NO_PYTHON); \
	    echo "Found:$${seen:- no Python}. If there is another: make lab PYTHON=/path/to/python3"; \
	    echo "INSTALL.md has the ways with uv and conda, and the one for Windows."; } >&2; exit 1; fi; \
	if ! $(PY) -m pip --version >/dev/null 2>&1; then "$$found" -m venv --clear $(VENV) || exit 1; fi; \
	echo "1 of 3: a virtual environment, with $$found (Python $$version)"
endif
	@echo "2 of 3: PyTorch"
	@{ $(CPU_TORCH) 2>$(VENV)/cpu-index.log || \
	    echo "    PyTorch's CPU index gave no package (see $(VENV)/cpu-index.log): going on with the ordinary index." >&2; \
	} | $(SHOWN)
	@echo "3 of 3: the other packages"
	@{ $(INSTALL) -e '.[lab]' -c constraints.txt && \
	    mkdir -p $(VENV)/etc/jupyter/labconfig && \
	    echo '{"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": true}}' \
	        > $(VENV)/etc/jupyter/labconfig/page_config.json && \
	    echo "$(CURDIR)" > $(STAMP); \
	} | $(SHOWN)
	@if [ -f $(STAMP) ]; then echo "Installed. From now on this takes seconds."; else \
	    echo "The installation did not finish; it says why above. The same command takes it up again." >&2; exit 1; fi

# An extra that students need not have.
$(STAMP)-%: $(STAMP)
	@echo "Installing what this needs beyond the lessons, once"
	@rm -f $@; { $(INSTALL) -e '.[lab,$*]' -c constraints.txt && echo "$(CURDIR)" > $@; } | $(SHOWN)
	@if [ -f $@ ]; then echo "Installed."; else \
	    echo "The installation did not finish; it says why above. The same command takes it up again." >&2; exit 1; fi

# ---------------------------------------------------------------------------------------------- the lessons

# Settings, runtime files and history stay in the virtual environment; nothing goes into the home folder.
JUPYTER_HOME = JUPYTER_CONFIG_DIR="$(CURDIR)/$(VENV)/jupyter/config" JUPYTER_DATA_DIR="$(CURDIR)/$(VENV)/jupyter/data" \
	JUPYTER_RUNTIME_DIR="$(CURDIR)/$(VENV)/jupyter/runtime" IPYTHONDIR="$(CURDIR)/$(VENV)/jupyter/ipython" \
	MPLCONFIGDIR="$(CURDIR)/$(VENV)/jupyter/matplotlib"

ifeq ($(SYSTEM)$(DISPLAY)$(WAYLAND_DISPLAY),Linux)
NO_BROWSER = --no-browser
endif

lab: COPY = $(WORK)
present: COPY = $(TEACH)
present: NOTES = --notes
lab: $(STAMP)
present: $(STAMP)
lab present:
	@$(PY) -m bertlab copy "$(COPY)" $(NOTES)
	@$(if $(NO_BROWSER),echo "There is no display here: open the http address printed below in a browser.",true)
	@cd "$(COPY)" && exec env $(JUPYTER_HOME) $(PY) -m jupyterlab --ServerApp.ip=$(IP) --ServerApp.port=$(PORT) \
	    --LabApp.default_url=/lab/tree/$(LESSON) --LabApp.extension_manager=readonly \
	    --LanguageServerManager.autodetect=False --log-level=WARN \
	    $(NO_BROWSER) $(if $(ROOT),--allow-root)

decks: $(STAMP)-decks
	@$(PY) -m bertlab decks "$(DECKS)"

site: $(STAMP)-decks
	@$(PY) -m bertlab site "$(SITE)"

notebooks: $(STAMP)
	@$(PY) -m bertlab run notebooks/*.ipynb

solved: $(STAMP)
	@$(PY) -m bertlab solve build/solved

# ---------------------------------------------------------------------------------------------- the tests

# The lessons are tested on the shipped model, whatever the shell has set; two workers of one thread each.
TEST_SHELL = unset HF_HUB_OFFLINE BERTLAB_MODEL; OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false
PYTEST = $(PY) -m pytest -q -n 2
# A notebook's cells must stay on one worker, in their order. Of the files, those with the most tests begin.
NBVAL  = --dist loadfile --nbval --nbval-current-env --nbval-cell-timeout=600
# Lessons that train models take minutes: test-all compares them, run with every matrix rounded otherwise.
TRAIN = $(wildcard notebooks/07_*.ipynb notebooks/08_*.ipynb)
QUICK = $(filter-out $(TRAIN),$(wildcard notebooks/*.ipynb))

test: $(STAMP)-decks $(STAMP)-test
	@$(PY) -m ruff check -q .
	@$(PY) -m ruff format -q --check .
	@$(VENV)/bin/pyrefly check --python-interpreter-path $(PY) --summary=none
	@$(TEST_SHELL) $(PYTEST) $(NBVAL) -m "not slow and not browser and not hub" $(QUICK) tests bertlab

# Results differ a little between instruction sets. The solved lessons run on the oldest, which is one of the slow tests.
test-all: test
	@$(TEST_SHELL) BERTLAB_BROWSER_REQUIRED=1 $(PYTEST) -rs --dist worksteal -m "slow or browser or hub"
	@if [ "$$($(PY) -c 'import torch; print(torch.backends.cpu.get_cpu_capability())')" = AVX512 ]; then \
	    echo "The notebooks with ATEN_CPU_CAPABILITY=avx2"; \
	    $(TEST_SHELL) ATEN_CPU_CAPABILITY=avx2 $(PYTEST) $(NBVAL) $(QUICK); \
	fi

# Pictures of the README, from the shipped model.
pictures: $(STAMP)
	@$(PY) pictures/draw.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis
	@echo 'work/ and teach/, your copies of the lessons, were left as they are.'

.PHONY: help lab present decks site test test-all notebooks solved pictures clean
