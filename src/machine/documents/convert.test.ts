import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { convertDocument } from './convert.ts'
import { docxOf, pdfOf, zipOf } from './documents.fixture.ts'

const html = (text: string) => convertDocument('html', Buffer.from(text))
const docx = (body: string, parts: Record<string, string> = {}) => convertDocument('docx', docxOf(body, parts))

describe('a web page', () => {
  it.each([
    ['headings with their links', '<h2 id="x">A <code>b</code></h2><p>c', '## A `b` {#x}\n\nc\n'],
    ['the link of a section', '<section id="s"><h2>A</h2></section>', '## A {#s}\n'],
    ['a table', '<table><tr><th>a<th>b<tr><td>1<td>2|3</table>', '| a | b |\n| --- | --- |\n| 1 | 2\\|3 |\n'],
    ['a list in a list', '<ul><li>a<ul><li>b</ul><li>c</ul>', '- a\n  - b\n- c\n'],
    ['code as it is', '<pre>a\n  b</pre>', '```\na\n  b\n```\n'],
    ['a table that only places things', '<table><tr><td><p>a</td></tr></table>', 'a\n'],
    ['the main part only', '<nav>menu</nav><main><p>text</main><footer>x</footer>', 'text\n'],
    ['its title where it has no heading', '<title>T</title><p>a', '# T\n\na\n'],
    ['a paragraph that looks like a heading', '<p># a', '\\# a\n'],
    [
      'links to pages, not to addresses',
      '<p><a href="b.html#c">b</a> <a href="https://x.y">z</a>',
      '[b](b.html#c) z\n',
    ],
  ])('gives %s', async (_, page, expected) => {
    expect(await html(page)).toBe(expected)
  })

  it('gives nothing that a browser does not show, and runs nothing', async () => {
    const page = `<script>alert(1)</script><style>p{}</style><template>t</template><p hidden>h
      <p style="display: none">i<p style="font-size:0">j<div aria-hidden="true">k</div><noscript>n</noscript><p>seen`
    expect(await html(page)).toBe('seen\n')
  })

  it('is read in the encoding that it names, however deep it is', async () => {
    const bytes = Buffer.from('<meta charset="windows-1252"><p>caf\xe9', 'latin1')
    expect(await convertDocument('html', bytes)).toBe('caf\u00e9\n')
    await expect(html('<div>'.repeat(5_000))).rejects.toThrow('has no text')
  })
})

describe('a Word document', () => {
  const STYLES =
    '<w:style w:styleId="H"><w:name w:val="heading 2"/></w:style><w:style w:styleId="I"><w:name w:val="Mine"/><w:basedOn w:val="H"/></w:style><w:style w:styleId="C"><w:name w:val="toc 1"/></w:style>'
  const p = (text: string, properties = '', run = '') =>
    `<w:p><w:pPr>${properties}</w:pPr><w:r><w:rPr>${run}</w:rPr><w:t>${text}</w:t></w:r></w:p>`

  it.each([
    ['headings by their style', p('A', '<w:pStyle w:val="H"/>') + p('B', '<w:pStyle w:val="I"/>'), '## A\n\n## B\n'],
    ['a bold line as a heading', p('Leave', '', '<w:b/>') + p('Ten days.'), '#### Leave\n\nTen days.\n'],
    [
      'lists',
      p('a', '<w:numPr><w:ilvl w:val="0"/></w:numPr>') + p('b', '<w:numPr><w:ilvl w:val="1"/></w:numPr>'),
      '- a\n  - b\n',
    ],
    [
      'tables',
      `<w:tbl><w:tr><w:tc>${p('a')}</w:tc><w:tc>${p('b')}</w:tc></w:tr><w:tr><w:tc>${p('1')}</w:tc><w:tc>${p('2')}${p('3')}</w:tc></w:tr></w:tbl>`,
      '| a | b |\n| --- | --- |\n| 1 | 2 3 |\n',
    ],
    ['no table of contents', p('a 3', '<w:pStyle w:val="C"/>') + p('b'), 'b\n'],
    [
      'no deleted or hidden text',
      `<w:p><w:del><w:r><w:delText>x</w:delText></w:r></w:del></w:p>${p('y', '', '<w:vanish/>')}${p('z')}`,
      'z\n',
    ],
    ['the five entities', p('a &amp;amp; &#65; &nope;'), 'a &amp; A &nope;\n'],
  ])('gives %s', async (_, body, expected) => {
    expect(await docx(body, { 'word/styles.xml': STYLES })).toBe(expected)
  })

  it('that unpacks to too much, is encrypted or damaged is refused', async () => {
    const bomb = zipOf({ 'word/document.xml': Buffer.alloc(80 * 1024 * 1024, 32) })
    await expect(convertDocument('docx', bomb)).rejects.toThrow('unpacks to more than 64 MB')
    await expect(convertDocument('docx', docxOf('<w:p/>', {}, { flags: 1 }))).rejects.toThrow('is encrypted')
    await expect(convertDocument('docx', Buffer.from('PK'))).rejects.toThrow('is damaged')
    const wrong = zipOf({ 'word/document.xml': Buffer.from('x') }, { data: deflateRawSync('x').subarray(1) })
    await expect(convertDocument('docx', wrong)).rejects.toThrow('is damaged')
  })
})

const PUMP = pdfOf([[{ text: 'The pump moves.', size: 10, y: 700 }]])
const KEYS = `/O <${'0a'.repeat(32)}> /U <${'0b'.repeat(32)}>`

function withTrailer(pdf: Buffer, entry: string): Buffer {
  const id = `/ID [<${'0c'.repeat(16)}> <${'0c'.repeat(16)}>]`
  return Buffer.from(pdf.toString('latin1').replace('/Root 1 0 R', `/Root 1 0 R ${id} ${entry}`), 'latin1')
}

/** The places of its objects are wrong then: a reader finds them again. */
function withCatalog(pdf: Buffer, entry: string): Buffer {
  return Buffer.from(pdf.toString('latin1').replace('/Type /Catalog', `/Type /Catalog ${entry}`), 'latin1')
}

describe('a PDF', () => {
  it('gives its pages, headings by size, and no lines that every page repeats', async () => {
    const page = (at: number) => [
      { text: 'The manual', size: 9, y: 780 },
      { text: `Chapter ${at}`, size: 18, y: 740 },
      { text: `The pump of stage ${at} moves`, size: 10, y: 700 },
      { text: `${40 * at} litres.`, size: 10, y: 688 },
      { text: `${at}`, size: 9, y: 30 },
    ]
    const text = await convertDocument('pdf', pdfOf([page(1), page(2), page(3)]))
    expect(text).toBe(
      [1, 2, 3]
        .map(
          (at) =>
            `## Page ${at}${at === 1 ? '' : `: Chapter ${at - 1}`}\n\n### Chapter ${at}\n\nThe pump of stage ${at} moves ${40 * at} litres.\n`,
        )
        .join('\n'),
    )
  })

  it.each([
    ['without text', pdfOf([[]]), 'has no text, only pictures or form fields'],
    ['that is none', Buffer.from('%PDF-1.4\nnothing'), 'is not a PDF that can be read'],
    [
      'that is encrypted',
      withTrailer(PUMP, `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 ${KEYS} >>`),
      'is encrypted',
    ],
    [
      'with a form only',
      withCatalog(pdfOf([[]]), '/AcroForm << /Fields [<< /FT /Tx /T (name) /V (x) >>] >>'),
      'has no text',
    ],
  ])('%s is refused', async (_, bytes, problem) => {
    await expect(convertDocument('pdf', bytes)).rejects.toThrow(problem)
  })

  it('with a script gives its text and runs nothing', async () => {
    const script = '/OpenAction << /S /JavaScript /JS (globalThis.didRun = 1; app.alert(1)) >>'
    expect(await convertDocument('pdf', withCatalog(PUMP, script))).toBe('## Page 1\n\nThe pump moves.\n')
    expect(globalThis).not.toHaveProperty('didRun')
  })
})

it.each([
  ['commas', 'a,b\n1,"2, ""x"""\n', '| a | b |\n| --- | --- |\n| 1 | 2, "x" |\n'],
  ['semicolons', 'a;b\n1;2', '| a | b |\n| --- | --- |\n| 1 | 2 |\n'],
])('a table with %s gives its rows', async (_, text, expected) => {
  expect(await convertDocument('csv', Buffer.from(text))).toBe(expected)
})
