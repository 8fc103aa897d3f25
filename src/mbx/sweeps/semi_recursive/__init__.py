"""Steps of the semi-recursive forms: from bodies to joint rates."""
