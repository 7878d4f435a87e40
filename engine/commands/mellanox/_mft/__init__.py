"""What the tools of MFT share: devices and their names, products, tables, questions."""
