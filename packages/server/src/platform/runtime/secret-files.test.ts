import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { callTern } from '@tern/testkit/processes/call-tern'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { readSecretFiles, secretSettings } from './secret-files.ts'
import { ConfigError, fields } from './settings.ts'

const secret = 'vN3qk8Zt5Wc1uYe7Rb9sHd2mLx4Gp6Ja'
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-secrets-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

function writeSecret(name: string, text: string): string {
  const file = path.join(folder, name)
  fs.writeFileSync(file, text)
  return file
}

describe('secrets in files', () => {
  test('each secret may be given as the path of its file', () => {
    for (const name of [...secretSettings, 'TERN_SECRET', 'TERN_OLD_SECRET', 'TERN_OLD_SECRET_2']) {
      const file = writeSecret(name, `the value of ${name}\n`)
      expect(readSecretFiles({ [`${name}_FILE`]: ` ${file}\n`, PORT: '3000' })).toEqual({
        [name]: `the value of ${name}`,
        PORT: '3000',
      })
    }
  })

  test('the configuration is the same from files and from variables', () => {
    const values = {
      TERN_SECRET: secret,
      TERN_OLD_SECRET_2: 'an older one, long enough for a secret',
      DATABASE_URL: 'postgres://tern_app:pass@db.example/tern',
      SMTP_URL: 'smtps://tern:pass@mail.example:465',
      STRIPE_SECRET_KEY: 'rk_live_4711',
      STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef,whsec_fedcba9876543210',
    }
    const others = { TERN_MODE: 'production', PUBLIC_URL: 'https://tern.example', MAIL_FROM: 'no-reply@tern.example' }
    const files = Object.entries(values).map(([name, text]) => [`${name}_FILE`, writeSecret(name, `${text}\n`)])
    expect(readConfig(readSecretFiles({ ...others, ...Object.fromEntries(files) }))).toEqual(
      readConfig({ ...others, ...values }),
    )
  })

  test('only the last line break is removed', () => {
    const read = (text: string) => readSecretFiles({ TERN_SECRET_FILE: writeSecret('spaced', text) }).TERN_SECRET
    expect(read(' a\nb \r\n')).toBe(' a\nb ')
    expect(read('a\n\n')).toBe('a\n')
    expect(read('a')).toBe('a')
  })

  test('a secret given twice is refused by name, whichever is used', () => {
    const file = writeSecret('twice', secret)
    expect(() => readSecretFiles({ TERN_SECRET: secret, TERN_SECRET_FILE: file })).toThrow(
      new ConfigError('TERN_SECRET and TERN_SECRET_FILE are both set; keep one of them.'),
    )
    expect(readSecretFiles({ TERN_SECRET: '', TERN_SECRET_FILE: file }).TERN_SECRET).toBe(secret)
    expect(readSecretFiles({ TERN_SECRET: secret, TERN_SECRET_FILE: '' }).TERN_SECRET).toBe(secret)
  })

  test.each([
    ['missing', path.join(folder, 'nowhere'), 'cannot be read (ENOENT)'],
    ['a folder', folder, 'cannot be read (EISDIR)'],
    ['empty', writeSecret('empty', ''), 'is empty'],
    ['blank', writeSecret('blank', ' \n\n'), 'is empty'],
  ])('a file that is %s ends a command with one sentence', async (_, file, reason) => {
    const settings = { DATA_DIR: '/nowhere', DATABASE_URL_FILE: file }
    expect(await callTern(settings, 'audit')).toEqual({
      code: 78,
      text: `DATABASE_URL_FILE names ${file}, which ${reason}.`,
    })
  })

  test('a variable of another name is no secret file', () => {
    const environment = { SSL_CERT_FILE: '/etc/ssl/cert.pem', PORT_FILE: '/nowhere' }
    expect(readSecretFiles(environment)).toEqual(environment)
  })

  test('every setting that is named like a secret may be in a file', () => {
    const secretLike = Object.keys(fields.shape).filter((name) =>
      /(SECRET|KEY|TOKEN|PASSWORD|DATABASE_URL|SMTP_URL)$/.test(name),
    )
    expect(secretLike.filter((name) => !(secretSettings as readonly string[]).includes(name))).toEqual([])
  })
})
