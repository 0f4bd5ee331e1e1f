import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Links to pages that are not there, as "page: link". */
export function brokenLinks(folder) {
  const pages = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.html'))
  return pages.flatMap((page) => {
    const text = readFileSync(join(folder, page), 'utf8')
    const links = [...text.matchAll(/href="([^":#?]+)/g)].map(([, link]) => link)
    return links.filter((link) => !existsSync(join(folder, dirname(page), link))).map((link) => `${page}: ${link}`)
  })
}

const broken = brokenLinks(process.argv[2] ?? 'site')
for (const line of broken) console.log(line)
process.exitCode = broken.length === 0 ? 0 : 1
