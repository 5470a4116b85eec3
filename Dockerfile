# The lessons and JupyterLab in a container, for one student:
#
#     docker build -t bertlab .
#     docker run --rm -p 127.0.0.1:8888:8888 -v bertlab:/home/student/work bertlab
#
# and open the address that it prints. The copy of the lessons stays in the volume `bertlab`.
FROM python:3.11-slim
COPY . /opt/bertlab
WORKDIR /opt/bertlab
RUN python -m pip install --no-cache-dir --no-deps --index-url https://download.pytorch.org/whl/cpu \
    "$(grep '^torch==' constraints.txt)"
RUN python -m pip install --no-cache-dir ".[lab]" -c constraints.txt
RUN useradd --create-home student && install -d -o student /home/student/work
USER student
WORKDIR /home/student/work
EXPOSE 8888
CMD ["python", "-m", "bertlab", "lab", ".", "--ip", "0.0.0.0", "--port", "8888"]
