import { compliance } from '#messages/site/compliance.ts'
import { titles } from '#messages/shell.ts'
import { paths } from '../../../app/paths.ts'
import { siteMeta } from '../site-meta.ts'
import { addProofs } from './clauses.ts'
import { LegalPage } from './LegalPage.tsx'
import { complianceProofs } from './proofs.ts'

export const meta = (page: Parameters<typeof siteMeta>[0]) => siteMeta(page, compliance.description)

const { license, screening, ...otherClauses } = compliance.clauses

/** License, filled in by the server, and compliance checks. */
export default function Compliance() {
  const { identity, limits, ...listedClauses } = otherClauses
  const clauses = {
    license: { ...license, text: <License /> },
    ...{ identity, limits },
    screening: { ...screening, text: <Screening /> },
    ...listedClauses,
  }
  return (
    <LegalPage
      path={paths.compliance}
      title={titles.compliance}
      lead={compliance.lead}
      version={3}
      changed="2026-11-28"
      clauses={addProofs(clauses, complianceProofs)}
    />
  )
}

/** Wordings with and without a license; the server keeps the applicable one (see platform/http/installation). */
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

const { columns } = screening

/** Screening, with the lists in use, filled in by the server. */
function Screening() {
  return (
    <>
      {screening.text.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
      <div className="small legal-lists" role="region" aria-label={screening.caption} tabIndex={0}>
        <table>
          <caption>{screening.caption}</caption>
          <thead>
            <tr>
              <th scope="col">{columns.list}</th>
              <th scope="col">{columns.since}</th>
              <th scope="col">{columns.checked}</th>
              <th scope="col">{columns.names}</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(screening.lists).map(([source, name]) => (
              <tr key={source}>
                <th scope="row">{name}</th>
                <td data-value={`list-${source}-since`}>{screening.notLoaded}</td>
                <td data-value={`list-${source}-checked`}>–</td>
                <td data-value={`list-${source}-entries`}>–</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p>{screening.limits}</p>
    </>
  )
}
