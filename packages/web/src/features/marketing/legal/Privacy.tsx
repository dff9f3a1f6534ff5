import { legalDocuments } from '@tern/contract/site/legal-documents'
import { privacy } from '#messages/site/privacy.ts'
import { titles } from '#messages/shell.ts'
import { paths } from '../../../app/paths.ts'
import { siteMeta } from '../site-meta.ts'
import { addProofs } from './clauses.ts'
import { LegalPage } from './LegalPage.tsx'
import { privacyProofs } from './proofs.ts'

export const meta = (page: Parameters<typeof siteMeta>[0]) => siteMeta(page, privacy.description)

export default function Privacy() {
  return (
    <LegalPage
      path={paths.privacy}
      title={titles.privacy}
      lead={privacy.lead}
      {...legalDocuments.privacy}
      clauses={addProofs(privacy.clauses, privacyProofs)}
    />
  )
}
