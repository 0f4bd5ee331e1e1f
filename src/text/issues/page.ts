/** Troubles of the page in the browser, which has this part of the table only. */
export const pageIssues = () =>
  ({
    'The page in the browser': {
      'UNREACHABLE/page':
        'Loadout does not answer: the program in the terminal has ended. → start loadout web again, and open the address that it prints',
      'UNEXPECTED/cut-off': 'The answer is cut off.',
      'UNEXPECTED/status': 'Unexpected answer: {status}',
      'UNEXPECTED/page': '{detail}',
    },
  }) as const
