import { type Hints, readHints } from './hints.ts'

/**
 * For each secretlint rule, the words without which it finds nothing. The test verifies this with the rules themselves.
 */
const SCANNER_HINTS: readonly { hints: Hints; shape?: RegExp }[] = [
  { hints: [['secretaccess', 'secret_access'], ['key']] },
  { hints: [['-----begin'], ['private key']] },
  { hints: [['npm_', 'gsk_', 'hf_', 'ntn_', 'ops_ey', 'lin_api_', 'dckr_pat_', 'figd_', 'glc_', 'glsa_', 'glpat-']] },
  { hints: [['://'], ['@']], shape: /:\/\/[-\w]+:[-\w]+@/ },
  { hints: [['xoxb-', 'xoxp-', 'xapp-', 'xoxa-', 'xoxo-', 'xoxr-', 'hooks.slack.com/services/']] },
  { hints: [['sg.']], shape: /SG\.\w+\.\w/ },
  { hints: [['shppa_', 'shpca_', 'shpat_', 'shpss_']] },
  { hints: [['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_']] },
  { hints: [['t3blbkfj', 'sk-ant-api0']] },
  { hints: [['mongodb'], ['://']] },
  { hints: [['mysql://', 'mysqlx://', 'postgres://', 'postgresql://']] },
  { hints: [['hvs.', 'hvb.', 'hvr.', 'vcp_', 'vci_', 'vca_', 'vcr_', 'vck_']] },
  { hints: [['dapi']], shape: /dapi[A-Fa-f0-9]{32}/ },
]

/** Whether secretlint can find anything: loading and running it takes longer than all of our own rules. */
export function mayHoldSecret(text: string): boolean {
  const isPossible = readHints(text)
  return SCANNER_HINTS.some(({ hints, shape }) => isPossible(hints) && shape?.test(text) !== false)
}
