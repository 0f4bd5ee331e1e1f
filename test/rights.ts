/**
 * Words before a program, for tests that run as root; nothing for everybody else. Changing the user alone would not do: below
 * a folder that others cannot enter, such as root's home, another user finds neither the program nor Node.
 */
const words = (...options: string[]) => (process.getuid?.() === 0 ? ['/usr/bin/setpriv', ...options, '--'] : [])

/** Root without root's rights: file permissions bind it, as they bind every owner. */
export const BOUND = words('--bounding-set=-all', '--inh-caps=-all')

/** Another user, for what refuses root: it reads what root reads, and writes only what is its own. */
export const otherUser = (id: number): readonly string[] =>
  words(
    `--reuid=${id}`,
    `--regid=${id}`,
    '--clear-groups',
    '--inh-caps=+dac_read_search',
    '--ambient-caps=+dac_read_search',
    '--securebits=+no_setuid_fixup',
  )

/** A user that every machine has. */
export const NOBODY = 65534
