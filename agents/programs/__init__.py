"""Other bridge programs over HTTP: their forms of questions and answers, and a seat that one of them takes."""
