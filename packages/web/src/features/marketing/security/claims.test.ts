import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { pages } from '@tern/contract/pages'
import { compliance } from '#messages/site/compliance.ts'
import { privacy } from '#messages/site/privacy.ts'
import { terms } from '#messages/site/terms.ts'
import { expect, test } from 'vitest'
import { helpLinks } from '../help/questions.ts'
import { complianceProofs, privacyProofs, termsProofs } from '../legal/proofs.ts'
import { sections } from './claims.ts'

const root = fileURLToPath(new URL('../../../../../../', import.meta.url))
const claims = sections.flatMap((section) => section.claims)

/** Text that must occur in each test file, usually a test title. A claim must be removed together with its test. */
const proofs: Record<string, readonly string[]> = {
  'limits.routes.test.ts': ['a lower limit holds at once; raising it needs a confirmation and a day'],
  'login-attempts.test.ts': ['concurrent guesses in three processes are limited like sequential ones'],
  'transfers.test.ts': ["toBe('recipient_not_found')", "toBe('verification_required')"],
  'four-eyes.test.ts': [
    'the second operator decides blind, and an agreed decision is executed',
    'amounts above 1,000.00 US dollars need two operators',
  ],
  'listed-guests.test.ts': ['is not charged before two people have cleared the name'],
  'documents.test.ts': ['is encrypted, re-encoded, listed, shown to its owner only, and deleted'],
  'grants.test.ts': ['are those of the database'],
  'audit.test.ts': ['sound books pass every check', 'the command exits with 0 for sound books, 1 for broken ones'],
  'reconciliation.test.ts': ['agreeing ones open no case'],
  'personal-numbers.test.ts': ['are not in plain text in the database or log'],
  'config.test.ts': ['PUBLIC_URL'],
  'finish-build.test.ts': ['no policy allows an unknown source'],
}

/** Ids of page sections across the web app. */
function listSectionIds(): Set<string> {
  const source = `${root}packages/web/src/`
  const files = fs.readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))
  const literalTexts = files.flatMap((file) =>
    Array.from(fs.readFileSync(source + file, 'utf8').matchAll(/\bid="([\w-]+)"/g)),
  )
  const clauses = [terms, privacy, compliance].flatMap((page) => Object.keys(page.clauses))
  return new Set([...literalTexts.map(([, id = '']) => id), ...sections.map(({ id }) => id), ...clauses])
}

const paths = Object.values(pages).map(({ path }): string => path)
const sectionIds = listSectionIds()

function expectTargetExists(href: string, description: string): void {
  const [path, part] = href.split('#')
  expect(paths, description).toContain(path)
  if (part !== undefined) expect(sectionIds, description).toContain(part)
}

test('every claim has a section of a page that shows it, or a test that proves it', () => {
  for (const { title, proof } of claims) {
    if ('href' in proof) expectTargetExists(proof.href, title)
    else {
      const name = proof.test.replace(/^.*\//, '')
      const text = fs.readFileSync(`${root}${proof.test}`, 'utf8')
      expect(proofs[name], `${name} has words here`).toBeDefined()
      for (const expectedText of proofs[name] ?? []) expect(text, proof.test).toContain(expectedText)
    }
  }
})

test('every answer of the help page leads to a page that exists', () => {
  expect(Object.keys(helpLinks)).toHaveLength(11)
  for (const [question, href] of Object.entries(helpLinks)) expectTargetExists(href, question)
})

test('every page that the legal pages name exists, and every clause that names one links to it', () => {
  const pagesWithProofs = [
    [terms, termsProofs],
    [privacy, privacyProofs],
    [compliance, complianceProofs],
  ] as const
  for (const [page, pageProofs] of pagesWithProofs) {
    const linkedClauses = Object.entries(page.clauses).filter(([, clause]) => 'where' in clause)
    expect(Object.keys(pageProofs)).toEqual(linkedClauses.map(([id]) => id))
    for (const [id, href] of Object.entries(pageProofs)) expectTargetExists(href, id)
  }
})

test('names of claims and sections are unique, since they are keys and addresses', () => {
  for (const names of [claims.map(({ title }) => title), sections.map(({ id }) => id)]) {
    expect(new Set(names).size).toBe(names.length)
  }
})
