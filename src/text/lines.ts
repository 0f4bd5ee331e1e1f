/** Line ends become `\n`, a byte order mark goes. */
export function normalizeText(text: string): string {
  const plain = text.charCodeAt(0) === BOM ? text.slice(1) : text
  return plain.includes('\r') ? plain.replace(/\r\n?/g, '\n') : plain
}

const BOM = 0xfeff
