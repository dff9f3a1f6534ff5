import { legalDocuments } from '@tern/contract/site/legal-documents'
import { terms } from '#messages/site/terms.ts'
import { titles } from '#messages/shell.ts'
import { paths } from '../../../app/paths.ts'
import { siteMeta } from '../site-meta.ts'
import { addProofs } from './clauses.ts'
import { LegalPage } from './LegalPage.tsx'
import { termsProofs } from './proofs.ts'

export const meta = (page: Parameters<typeof siteMeta>[0]) => siteMeta(page, terms.description)

export default function Terms() {
  return (
    <LegalPage
      path={paths.terms}
      title={titles.terms}
      lead={terms.lead}
      {...legalDocuments.terms}
      clauses={addProofs(terms.clauses, termsProofs)}
    />
  )
}
