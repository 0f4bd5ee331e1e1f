/** Converts line ends to `\n` and removes a byte order mark. */
export function normalizeText(text: string): string {
  const plain = text.charCodeAt(0) === BOM ? text.slice(1) : text
  return plain.includes('\r') ? plain.replace(/\r\n?/g, '\n') : plain
}

const BOM = 0xfeff
