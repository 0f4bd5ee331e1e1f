import { describe, expect, it } from 'vitest'
import { checkRequest } from './http.ts'

const TOKEN = 'a-token-of-some-length'
const GOOD = { host: '127.0.0.1:8417', authorization: `Bearer ${TOKEN}` }

describe('a request over HTTP', () => {
  it.each([
    [{}, undefined],
    [{ host: 'localhost:8417' }, undefined],
    [{ host: 'LOCALHOST:8417' }, undefined],
    [{ host: '[::1]:8417' }, undefined],
    [{ host: undefined }, 403],
    [{ host: '127.0.0.1' }, 403],
    [{ host: '127.0.0.1:80' }, 403],
    [{ host: 'localhost.evil.example:8417' }, 403],
    [{ host: 'evil.example:8417' }, 403],
    [{ origin: 'http://127.0.0.1:8417' }, undefined],
    [{ origin: 'http://localhost:8417' }, undefined],
    [{ origin: 'http://localhost:3000' }, 403],
    [{ origin: 'https://localhost:8417' }, 403],
    [{ origin: 'http://localhost:8417.evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: '' }, 403],
    [{ authorization: `bearer ${TOKEN}` }, undefined],
    [{ authorization: undefined }, 401],
    [{ authorization: 'Bearer' }, 401],
    [{ authorization: TOKEN }, 401],
    [{ authorization: `Basic ${TOKEN}` }, 401],
    [{ authorization: `Bearer ${TOKEN}x` }, 401],
    [{ authorization: `Bearer ${TOKEN.slice(1)}` }, 401],
    [{ authorization: `Bearer ${TOKEN} ${TOKEN}` }, 401],
  ])('%j: %s', (headers, status) => {
    expect(checkRequest({ ...GOOD, ...headers }, { port: 8417, token: TOKEN })?.status).toBe(status)
  })
})
