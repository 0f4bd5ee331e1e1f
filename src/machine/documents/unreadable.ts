/** Why a document has no text for a reader. The message completes "it …". */
export class UnreadableDocument extends Error {
  // By name: the reader of PDFs is a script of its own, with its own copy of this class.
  override readonly name = 'UnreadableDocument'
}
