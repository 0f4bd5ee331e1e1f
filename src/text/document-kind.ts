/** The forms of documents that become Markdown when they are read. */
export type DocumentKind = 'pdf' | 'docx' | 'html' | 'csv'

/** The form of a file by its name; undefined for a text that is read as it is. */
export function documentKind(path: string): DocumentKind | undefined {
  const [, extension = ''] = /\.(pdf|docx|html?|xhtml|csv)$/i.exec(path) ?? []
  const kind = extension.toLowerCase()
  return /^(?:html?|xhtml)$/.test(kind) ? 'html' : (kind as DocumentKind) || undefined
}
