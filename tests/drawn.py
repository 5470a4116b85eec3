"""What is drawn beside the data: reference lines, and limits that leave nothing out."""


def assert_reference_line(ax, value):
    """Assert that the one dashed line across Axes stands at a value."""
    __tracebackhide__ = True
    (line,) = [line for line in ax.lines if line.get_linestyle() == "--" and len(line.get_xdata()) == 2]
    upright = len({*line.get_xdata()}) == 1
    assert list(line.get_xdata() if upright else line.get_ydata()) == [value, value]


def assert_all_in_sight(ax):
    """Assert that every point and line of the data lies within the limits of Axes."""
    __tracebackhide__ = True
    (left, right), (bottom, top) = sorted(ax.get_xlim()), sorted(ax.get_ylim())
    for line in ax.lines:
        if line.get_linestyle() != "--":
            assert all(left <= x <= right and bottom <= y <= top for x, y in line.get_xydata())
