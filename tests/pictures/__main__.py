"""Takes every picture anew into docs/pictures/."""

from tests.pictures.take import take_all

if __name__ == "__main__":
    for path in take_all():
        print(path)
