import { createHmac, timingSafeEqual } from 'node:crypto'

export function sign(body, secret) {
  return createHmac('sha256', secret).update(body).digest('hex')
}

export function isSigned(body, secret, signature) {
  const [ours, theirs] = [sign(body, secret), signature].map((text) => Buffer.from(text))
  return ours.length === theirs.length && timingSafeEqual(ours, theirs)
}
