/** Markings by which their owners tell that a text is regulated. Written as markings are: prose about them is none. */
export const RESTRICTED_MARKINGS: readonly { kind: string; pattern(): RegExp }[] = [
  {
    kind: 'classification',
    pattern: () =>
      /(?<![\w/])(?:TOP SECRET|SECRET|CONFIDENTIAL|TS|CUI|COSMIC TOP SECRET|NATO SECRET)\/\/[A-Z][A-Z0-9 ,/-]{1,60}/g,
  },
  {
    kind: 'classification',
    pattern: () => /(?<!\w)(?:CLASSIFIED|CLASSIFICATION)\s?[:=]\s?["']?(?:TOP SECRET|SECRET|CONFIDENTIAL)(?!\w)/g,
  },
  { kind: 'traffic-light', pattern: () => /(?<!\w)TLP:\s?(?:RED|AMBER\+STRICT)(?!\w)/g },
  {
    kind: 'health-data',
    pattern: () => /(?<!\w)(?:HIPAA[ -]PHI|CONTAINS (?:HIPAA )?(?:e?PHI|PROTECTED HEALTH INFORMATION))(?!\w)/g,
  },
  {
    kind: 'medical-record',
    pattern: () =>
      /(?<!\w)(?:MRN|mrn|[Mm]edical[ _-]?[Rr]ecord[ _-]?(?:[Nn]umber|[Nn]o\.?|#|[Ii][Dd])|NHS[ _-](?:[Nn]umber|[Nn]o\.?))["'*]{0,3}[ \t]{0,4}[:=#|]{0,2}[ \t]{0,4}["']?((?=[A-Z-]{0,6}\d)[A-Z0-9][A-Z0-9 -]{3,14}\d)(?!\w)/dg,
  },
  { kind: 'export-control', pattern: () => /(?<!\w)(?:ITAR|EAR)[ -](?:CONTROLLED|RESTRICTED)(?!\w)/g },
]
