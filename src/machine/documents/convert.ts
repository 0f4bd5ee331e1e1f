import type { DocumentKind } from '../../text/document-kind.ts'
import { csvToMarkdown } from './csv.ts'
import { docxToMarkdown } from './docx.ts'
import { htmlToMarkdown } from './html.ts'
import { UnreadableDocument } from './unreadable.ts'

/** The Markdown of a document. Throws `UnreadableDocument` where there is none. */
export async function convertDocument(kind: DocumentKind, bytes: Buffer, onStep = () => {}): Promise<string> {
  const convert = {
    pdf: async () => (await import('./pdf.ts')).pdfToMarkdown(bytes, onStep),
    docx: () => docxToMarkdown(bytes),
    html: () => htmlToMarkdown(bytes),
    csv: () => csvToMarkdown(bytes),
  }
  const text = await convert[kind]()
  if (!/[\p{L}\p{N}]/u.test(text)) throw new UnreadableDocument('has no text')
  return text
}
