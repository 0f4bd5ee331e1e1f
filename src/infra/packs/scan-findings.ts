import { relative } from 'node:path'
import { PACK_FILE } from '../../domain/packs/pack.ts'
import type { Code } from '../../domain/shared/codes.ts'
import type { Finding, Severity } from '../../domain/shared/finding.ts'
import type { Scan, ScanLimits } from './folder-scan.ts'

const MOST_NAMED = 5
const MOST_EACH = 20

/** What a scan did not look at, in words. Many places of one kind are one finding that names some of them. */
export function findingsOf(root: string, scan: Scan, limits: ScanLimits): Finding[] {
  const findings: Finding[] = []
  const add = (severity: Severity, code: Code, message: string, hint?: string) =>
    findings.push({ severity, code, subject: root, message, ...(hint !== undefined && { hint }) })
  const name = (paths: readonly string[]) => nameSome(root, paths)
  if (scan.left > 0) {
    const message = `${root} has more than ${limits.maxDirectories} folders; ${scan.left} or more were not looked into`
    add('warning', 'discovery.limit', message, raise('maxDirectories'))
  }
  for (const { path, reason } of scan.unreadable.slice(0, MOST_EACH)) {
    findings.push({
      severity: 'warning',
      code: 'discovery.unreadable',
      subject: path,
      message: `${path} cannot be read (${reason})`,
      hint: 'check its permissions',
    })
  }
  if (scan.unreadable.length > MOST_EACH) {
    const others = scan.unreadable.length - MOST_EACH
    add('warning', 'discovery.unreadable', `${others} more folders below ${root} cannot be read`)
  }
  if (scan.notFiles.length > 0) {
    add('warning', 'discovery.not-a-file', `not a ${PACK_FILE} that can be read: ${name(scan.notFiles)}`)
  }
  if (scan.outside.length > 0) {
    const message = `links out of ${root} were not followed: ${name(scan.outside)}`
    add('warning', 'discovery.link', message, 'set "followLinks": true under "packs" in the configuration to allow it')
  }
  if (scan.dangling.length > 0) {
    add('info', 'discovery.link', `links in ${root} that lead nowhere: ${name(scan.dangling)}`)
  }
  if (scan.beyond.length > 0) {
    const message = `folders more than ${limits.maxDepth} levels below ${root} were not looked into, in: ${name(scan.beyond)}`
    add('info', 'discovery.depth', message, raise('maxDepth'))
  }
  if (scan.skipped.length > 0) {
    add('info', 'discovery.skipped', `not looked into because of their names: ${name(scan.skipped)}`)
  }
  return findings
}

function raise(key: string): string {
  return `raise "${key}" under "packs" in the configuration to look further`
}

function nameSome(root: string, paths: readonly string[]): string {
  const sorted = [...paths].sort()
  const named = sorted.slice(0, MOST_NAMED).map((path) => relative(root, path) || '.')
  const others = sorted.length - named.length
  return named.join(', ') + (others > 0 ? ` and ${others} more` : '')
}
