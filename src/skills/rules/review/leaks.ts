import { readHints } from '../../../text/sensitive/hints.ts'
import type { Spot } from './spots.ts'

const HOME = String.raw`(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%|/root|/home/\w+|/Users/\w+)`
const CREDENTIALS = new RegExp(
  [
    String.raw`\.ssh/(?:id_\w+|\*)`,
    String.raw`\.aws/credentials`,
    String.raw`${HOME}/\.(?:netrc|git-credentials|npmrc|pypirc|pgpass)\b`,
    String.raw`\.config/(?:gh/hosts|gcloud/\w*credentials)`,
    String.raw`${HOME}/\.(?:kube/config|docker/config\.json|gnupg)\b`,
    String.raw`Library/Keychains|Login Data|wallet\.dat|/etc/shadow`,
  ].join('|'),
  'g',
)
const ENV_FILE = /(?<![\w/-])\.env(?![\w.-])/
const ADDRESS = String.raw`(?:https?://(?!(?:localhost|127\.0\.0\.1|\[::1\]))|[\w-]+\.[\w.-]+\s+\d{2,5}\b)`
const SENDS = new RegExp(
  [
    String.raw`\bcurl\b[^\n]*(?:\s-d\b|--data|\s-F\b|--form|\s-T\b|--upload-file|-X\s*(?:POST|PUT))`,
    String.raw`\bwget\b[^\n]*--post-(?:data|file)`,
    String.raw`\b(?:requests|httpx|axios)\.(?:post|put)\s*\(`,
    String.raw`\bfetch\s*\([^\n]*method:\s*['"](?:POST|PUT)`,
    String.raw`\|\s*(?:nc|ncat|netcat)\s+\S+\s+\d+`,
    String.raw`Invoke-(?:RestMethod|WebRequest)[^\n]*-Method\s+Post`,
    String.raw`\b(?:send|post|upload|submit|transmit|forward|exfiltrate)\b[^\n]{0,80}\bto\s+[\x60"']?https?://`,
    String.raw`!\[[^\]]*\]\(https?://[^)\s]*[?&]\w+=[^)\s]*\)`,
  ].join('|'),
  'gi',
)
/** All variables piped to a program, except one that only searches them. */
const PIPED = /(?:env|printenv|export -p)\s*\|(?![^\n]*\b(?:grep|sort|sed|head|awk)\b)/g
const DUMPED =
  /JSON\.stringify\(\s*process\.env\s*\)|json\.dumps\(\s*(?:dict\(\s*)?os\.environ|(?:data|json|body)\s*=\s*(?:dict\(\s*)?os\.environ\b(?!\s*[[.])/g
const DUMP_HINTS = [['process.env', 'os.environ']]

/** The maximum distance in lines between reading a key and sending it. */
const NEAR = 15

/** Finds code that sends keys, passwords or the environment, and mentions of files with credentials. */
export function findLeaks(text: string, isCode: boolean, lineOf: (at: number) => number): Spot[] {
  const sends = [...text.matchAll(SENDS)].filter((match) => goesOut(text, match))
  const sendLines = sends.map((match) => lineOf(match.index))
  const isSent = (at: number, near: number) => sendLines.some((line) => Math.abs(line - lineOf(at)) <= near)
  const spots: Spot[] = []
  for (const { index: at } of text.matchAll(CREDENTIALS)) {
    if (isSent(at, isCode ? NEAR : 0))
      spots.push({ rule: 'exfiltration', severity: 'severe', at, message: 'sends credentials to another machine' })
    else spots.push({ rule: 'credentials', severity: 'warning', at, message: 'names a place of credentials' })
  }
  for (const at of findWholeEnvironments(text)) {
    if (isSent(at, isCode ? NEAR : 0))
      spots.push({
        rule: 'exfiltration',
        severity: 'severe',
        at,
        message: 'sends the whole environment to another machine',
      })
  }
  for (const { index: at } of sends) {
    const line = lineAround(text, at)
    if (ENV_FILE.test(line))
      spots.push({
        rule: 'exfiltration',
        severity: 'severe',
        at,
        message: 'sends a file of secrets to another machine',
      })
  }
  return spots
}

function findWholeEnvironments(text: string): number[] {
  const piped = [...text.matchAll(PIPED)].filter(({ index }) => index === 0 || /[\s;&(]/.test(text[index - 1] ?? ''))
  const dumped = readHints(text)(DUMP_HINTS) ? [...text.matchAll(DUMPED)] : []
  return [...piped, ...dumped].map(({ index }) => index)
}

function goesOut(text: string, match: RegExpMatchArray): boolean {
  const around = lineAround(text, match.index ?? 0)
  return new RegExp(ADDRESS, 'i').test(around) || !/https?:\/\//.test(around)
}

function lineAround(text: string, at: number): string {
  const end = text.indexOf('\n', at)
  return text.slice(text.lastIndexOf('\n', at) + 1, end < 0 ? text.length : end)
}
