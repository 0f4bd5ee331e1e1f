import { crc32, deflateRawSync } from 'node:zlib'

interface ZipFaults {
  flags?: number
  /** The packed bytes of every entry, instead of its own. */
  data?: Buffer
}

/** A zip archive with these files. */
export function zipOf(files: Record<string, Buffer>, { flags = 0, data }: ZipFaults = {}): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const packed = data ?? deflateRawSync(content)
    const path = Buffer.from(name)
    const head = Buffer.alloc(26)
    head.writeUInt16LE(20, 0)
    head.writeUInt16LE(flags, 2)
    head.writeUInt16LE(8, 4)
    head.writeUInt32LE(typeof crc32 === 'function' ? crc32(content) : 0, 10)
    head.writeUInt32LE(packed.length, 14)
    head.writeUInt32LE(content.length, 18)
    head.writeUInt16LE(path.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), head, path, packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), head, tail, path]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(central.length, 4)
  end.writeUInt16LE(central.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end])
}

/** A Word document with this body. */
export function docxOf(body: string, parts: Record<string, string> = {}, faults?: ZipFaults): Buffer {
  const document = `<?xml version="1.0"?><w:document><w:body>${body}</w:body></w:document>`
  const files = Object.entries({ 'word/document.xml': document, ...parts })
  return zipOf(Object.fromEntries(files.map(([name, text]) => [name, Buffer.from(text)])), faults)
}

/** A PDF with these lines on its pages. */
export function pdfOf(pages: readonly { text: string; size: number; y: number }[][]): Buffer {
  const objects: string[] = []
  const add = (body: string) => objects.push(body)
  const kids = pages.map((_, at) => `${4 + 2 * at} 0 R`).join(' ')
  add('<< /Type /Catalog /Pages 2 0 R >>')
  add(`<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`)
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  for (const lines of pages) {
    const stream = lines.map(({ text, size, y }) => `BT /F1 ${size} Tf 72 ${y} Td (${text}) Tj ET`).join('\n')
    const number = objects.length + 2
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${number} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    )
    add(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`)
  }
  let text = '%PDF-1.4\n'
  const places = objects.map((body, at) => {
    const place = text.length
    text += `${at + 1} 0 obj\n${body}\nendobj\n`
    return place
  })
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}
