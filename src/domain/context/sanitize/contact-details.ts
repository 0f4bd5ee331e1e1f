/** Unknown top-level domains of more than two letters are rather members of an object: `a@self.weight`. */
const DOMAINS =
  '[a-z]{2}|com|org|net|edu|gov|mil|int|info|biz|name|dev|app|cloud|tech|online|site|store|shop|xyz|agency|company|email|health|bank|internal|corp'

export const emailAddresses = () =>
  new RegExp(
    String.raw`(?<![\w.+%-])([a-z0-9_][\w.+%-]{0,63})@((?:[a-z0-9][a-z0-9-]{0,62}\.){1,6}(?:${DOMAINS}))(?![\w(]|-\w|\.\w)`,
    'gi',
  )

/** Mailboxes of a role, which belong to nobody. */
const ROLES =
  /^(?:git|hg|svn|root|no-?reply|do-?not-?reply|mailer-daemon|postmaster|webmaster|hostmaster|abuse|security|support|info|contact|hello|help|admin|sales|press|legal|privacy|conduct|team|maintainers?|bot|actions|user(?:name)?|you|your[._-]?(?:name|email)|me|someone|somebody|name|email|foo|bar)(?:[+].{0,60})?$/i

/** Reserved for examples, or never delivered to a person. */
const NOBODYS =
  /(?:^|\.)(?:example\.(?:com|org|net|edu)|example|test|invalid|localhost|local|noreply\.[\w.-]{1,60}|domain\.(?:com|tld)|email\.com|company\.com|yourdomain\.com|acme\.(?:com|org)|foo\.com|bar\.com)$/i

export function isPersonal(address: string): boolean {
  const at = address.lastIndexOf('@')
  return !ROLES.test(address.slice(0, at)) && !NOBODYS.test(address.slice(at + 1))
}

/** With a country code, or in the North American form. */
export const phoneNumbers = () =>
  /(?<![\w.+-]|\d[ ])(?:\+[1-9]\d{0,2}(?:[ .-]?\(\d{1,4}\))?(?:[ .-]?\d{1,5}){2,6}|(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])[2-9]\d{2}[.-]\d{4})(?![\w]|[.-]\d)/g

export function isPhoneNumber(text: string): boolean {
  const digits = text.replace(/\D/g, '')
  if (digits.length < 10 || digits.length > 15 || new Set(digits).size < 3) return false
  // Set aside for films and examples.
  return !/555\D?01\d\d$/.test(text) && !/^(?:44)?0?(?:20)?79460\d{3}$/.test(digits) && !/1234567/.test(digits)
}

/** The national form of anywhere, where a word says so. */
export const labelledPhoneNumbers = () =>
  /(?<!\w)(?:tel(?:ephone)?|phone|mobile|cell|fax|whatsapp|(?:phone|mobile|cell|tel)[_ -]?(?:number|no)|\u7535\u8bdd|\u96fb\u8a71|\u624b\u673a|\u624b\u6a5f)["'*]{0,3}[ \t]{0,4}[:=.|]{1,2}[ \t]{0,4}["']?(\(?0?\d[\d ()./-]{6,18}\d)(?![\w.-]*\w)/dgi
