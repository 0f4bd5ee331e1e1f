import { type Detection, detectContent } from '../text/sensitive/detect.ts'
import { detectSafely, sanitize } from '../text/sensitive/sanitize.ts'
import { scanForSecrets } from './secret-scanner.ts'

/** A text of which nothing secret or personal is left. */
export async function maskText(text: string): Promise<string> {
  return sanitize(text, await detectPrivate(text), 'mask').text ?? ''
}

/** What of a text is secret or personal. */
export async function detectPrivate(text: string): Promise<Detection[]> {
  const views = [text, withoutEndings(text)].filter((each, at, all) => all.indexOf(each) === at)
  const found = [...views.flatMap((each) => detectSafely(detectContent, each)), ...(await scanForSecrets(text))]
  return found.filter(({ contentClass }) => ['secret', 'credential', 'pii'].includes(contentClass))
}

/** The ending of a file name hides what a name ends with. Blank, so that places stay the same. */
function withoutEndings(text: string): string {
  return text.replace(/\.[a-z]\w{0,4}(?=$|[\s"',;:)])/gi, (ending) => ' '.repeat(ending.length))
}
