import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { pages } from '@tern/contract/pages'
import { expect, test } from 'vitest'
import { sections } from './claims.ts'

const root = fileURLToPath(new URL('../../../../../../', import.meta.url))
const claims = sections.flatMap((section) => section.claims)

/** What each named test checks, in its own words: a claim does not outlive its test. */
const proofs: Record<string, readonly string[]> = {
  'limits.routes.test.ts': ['a lower limit holds at once; raising it needs a confirmation and a day'],
  'login-attempts.test.ts': ['concurrent guesses in three processes are limited like sequential ones'],
  'transfers.test.ts': ["toBe('recipient_not_found')", "toBe('verification_required')"],
  'grants.test.ts': ['covers every table'],
  'audit.test.ts': ['sound books pass every check', 'the command exits with 0 for sound books, 1 for broken ones'],
  'reconciliation.test.ts': ['agreeing ones open no case'],
  'kyc.test.ts': ['are not in plain text in the database or log'],
  'config.test.ts': ['PUBLIC_URL'],
  'finish-build.test.ts': ['no policy lets anything unknown in'],
}

test('every claim has a page where it can be seen, or a test that proves it, or says that it is to come', () => {
  const paths = Object.values(pages).map(({ path }): string => path)
  for (const { title, proof } of claims) {
    if (proof === 'to come') continue
    if ('href' in proof) expect(paths, title).toContain(proof.href.replace(/#.*/, ''))
    else {
      const name = proof.test.replace(/^.*\//, '')
      const text = fs.readFileSync(`${root}${proof.test}`, 'utf8')
      expect(proofs[name], `${name} has words here`).toBeDefined()
      for (const words of proofs[name] ?? []) expect(text, proof.test).toContain(words)
    }
  }
})

test('nothing is claimed that the product does not do yet', () => {
  const open = claims.filter(({ proof }) => proof === 'to come').map(({ title }) => title)
  expect(open).toEqual(['Sanctions and PEP screening'])
})

test('no two claims or sections have the same name, since their names are their keys and addresses', () => {
  for (const names of [claims.map(({ title }) => title), sections.map(({ id }) => id)]) {
    expect(new Set(names).size).toBe(names.length)
  }
})
