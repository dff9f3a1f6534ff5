import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '@tern/testkit/database'
import { openTestIdentity } from '@tern/testkit/identity/identity'

const database = await createTestDatabase()
const tern = await openTestIdentity(database)

const curveOrder = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const readSignatureScalar = (token: string): bigint => {
  const signature = Buffer.from(token.split('.')[2] ?? '', 'base64url')
  return BigInt(`0x${signature.subarray(32).toString('hex')}`)
}
const replaceSignature = (token: string, signature: string) => `${token.slice(0, token.lastIndexOf('.'))}.${signature}`

/** Returns the token with the other valid ECDSA signature for the same key and message. */
function mirrorSignature(token: string): string {
  const signature = Buffer.from(token.split('.')[2] ?? '', 'base64url')
  const s = (curveOrder - readSignatureScalar(token)).toString(16).padStart(64, '0')
  return replaceSignature(
    token,
    Buffer.concat([signature.subarray(0, 32), Buffer.from(s, 'hex')]).toString('base64url'),
  )
}

/** Returns a token whose signature decodes to the same bytes: four bits of its last base64url character are unused. */
function respellSignature(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const lastCharacter = token.at(-1) ?? ''
  const changedToken = token.slice(0, -1) + (alphabet[alphabet.indexOf(lastCharacter) + 1] ?? '')
  expect(Buffer.from(changedToken.split('.')[2] ?? '', 'base64url')).toEqual(
    Buffer.from(token.split('.')[2] ?? '', 'base64url'),
  )
  return changedToken
}

describe('an access token', () => {
  let token: string
  let cookie: string
  beforeAll(async () => {
    ;({ token, cookie } = await tern.signUp('signer'))
  })
  const requestStatus = async (bearer: string) => (await tern.get('/api/user/user', bearer)).statusCode

  test('has one valid form: the mirrored signature and other spellings of it are refused', async () => {
    expect(await requestStatus(mirrorSignature(token))).toBe(401)
    expect(await requestStatus(respellSignature(token))).toBe(401)
    expect(await requestStatus(`${token}=`)).toBe(401)
    expect(await requestStatus(token)).toBe(200)
    expect(await requestStatus(mirrorSignature(mirrorSignature(token))), 'the same text').toBe(200)
  })

  test('is refused in spellings that are no JWS (RFC 7515, section 2)', async () => {
    const [header = '', claims = '', signature = ''] = token.split('.')
    const standardToken = token.replaceAll('-', '+').replaceAll('_', '/')
    const spellings = [
      `${token}==`,
      `${token}=`,
      `${token}.`,
      `.${token}`,
      `${token}\u00A0`,
      `${header}=.${claims}.${signature}`,
      `${header}.${claims}==.${signature}`,
      `${header}.${claims}. ${signature}`,
      `${header}.${claims}.${signature.slice(0, 40)} ${signature.slice(40)}`,
      `${header}.${claims}.${signature}AA`,
      `${header}.${claims}.${signature.slice(0, -1)}`,
      `${header}..${signature}`,
      ...(standardToken === token ? [] : [standardToken]),
    ]
    for (const spelling of spellings) expect(await requestStatus(spelling), spelling).toBe(401)
    expect(await requestStatus(token)).toBe(200)
  })

  test('is always issued with the low form of its signature', async () => {
    for (let count = 0; count < 24; count += 1) {
      const refreshReply = await tern.refreshWith(cookie)
      const { access_token: next } = refreshReply.json<{ access_token: string }>()
      expect(readSignatureScalar(next) <= curveOrder / 2n).toBe(true)
      expect(await requestStatus(next)).toBe(200)
      cookie = tern.newCookie(refreshReply)
    }
  })
})
