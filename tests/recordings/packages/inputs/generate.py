"""Inputs that are too long to be kept: made from a seed, always the same."""
import random


def alignment(taxa=24, sites=300):
    """Sequences in PHYLIP's format that differ the more, the higher their number."""
    draw = random.Random(5)
    base = [draw.choice("ACGT") for _ in range(sites)]
    lines = [f" {taxa} {sites}"]
    for taxon in range(taxa):
        change = 0.03 * (1 + taxon % 6)
        letters = "".join(draw.choice("ACGT") if draw.random() < change else letter for letter in base)
        lines.append(f"taxon{taxon:02d}   {letters}")
    return "\n".join(lines) + "\n"


def grid_graph(width=40, height=40):
    """A grid in Scotch's format: of each vertex, how many neighbors and which."""
    neighbors = []
    for vertex in range(width * height):
        x, y = vertex % width, vertex // width
        around = [vertex - 1 if x else None, vertex + 1 if x + 1 < width else None,
                  vertex - width if y else None, vertex + width if y + 1 < height else None]
        neighbors.append([n for n in around if n is not None])
    lines = ["0", f"{len(neighbors)}\t{sum(map(len, neighbors))}", "0\t000"]
    lines += [" ".join(map(str, [len(around), *around])) for around in neighbors]
    return "\n".join(lines) + "\n"


GENERATED = {"alignment.phy": alignment, "grid.grf": grid_graph}
