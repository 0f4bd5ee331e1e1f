/** What must not reach a model unnoticed. */
export const CONTENT_CLASSES = [
  'secret',
  'credential',
  'pii',
  'regulated_restricted',
  'other_policy_violation',
  'prompt_injection',
] as const
export type ContentClass = (typeof CONTENT_CLASSES)[number]

/** Something found in a text. Never the text itself. */
export interface Detection {
  contentClass: ContentClass
  /** Which detector found it: `aws-access-key`, `card-number`. */
  kind: string
  /** Characters of the text, the end excluded. */
  start: number
  end: number
}

/** Finds what must not be shown. One that throws counts as a finding in everything. */
export type Detector = (text: string) => readonly Detection[]
