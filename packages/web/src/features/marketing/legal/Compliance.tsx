import { compliance } from '#messages/site/compliance.ts'
import { titles } from '#messages/shell.ts'
import { paths } from '../../../app/paths.ts'
import { siteMeta } from '../site-meta.ts'
import { LegalPage } from './LegalPage.tsx'

export const meta = (page: Parameters<typeof siteMeta>[0]) => siteMeta(page, compliance.description)

const { license, ...others } = compliance.clauses

/** Who licenses this installation, which the server knows, and what is checked. */
export default function Compliance() {
  return (
    <LegalPage
      path={paths.compliance}
      title={titles.compliance}
      lead={compliance.lead}
      version={1}
      changed="2026-11-22"
      clauses={[{ ...license, text: <License /> }, ...Object.values(others)]}
    />
  )
}

/** Both ways it can be; the server sends the one that holds (see platform/http/installation). */
function License() {
  return (
    <>
      <p data-without="license">{license.none}</p>
      <p data-with="license" hidden>
        {license.set} <span data-value="license" />
      </p>
      <p data-with="license-register" hidden>
        <a data-value="license-register" href={paths.compliance}>
          {license.register}
        </a>
      </p>
      <p>{license.bank}</p>
    </>
  )
}
