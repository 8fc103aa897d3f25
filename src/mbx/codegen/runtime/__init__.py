"""Code that goes into written modules: ordinary code, which mbx reads and mostly does not run."""
