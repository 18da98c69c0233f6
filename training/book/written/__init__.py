"""Write the book of a system in chapters, as Markdown, BML and a page; and what one system changes in another."""
