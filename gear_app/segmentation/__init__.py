"""Where a text's parts end: its blocks, paragraphs and sentences, by lines and marks."""
