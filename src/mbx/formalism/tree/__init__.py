"""Steps of the matrix program that go along the tree of links, shared by the forms of trees."""
