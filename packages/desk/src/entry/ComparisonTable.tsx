import type { Compared, ComparedDetail, ComparedRow, ComparedValue, Comparison } from '@tern/contract/desk/comparison'
import { entries } from '@tern/messages/en/desk/entries'
import { facts } from '@tern/messages/en/desk/facts'
import { comparedDate, countryName, labelOf, scoreText, wordsOf } from './entry-text.ts'

const texts = entries.comparison

/** Name match score with its review and hold thresholds, then the match status; undefined without either. */
export function scoreLine({ score, status }: Comparison): string | undefined {
  const line =
    score && texts.score(scoreText(score.basis_points), scoreText(score.review_from), scoreText(score.hold_from))
  return [line, status && wordsOf(status)].filter(Boolean).join(' · ') || undefined
}

/** Two sides, detail by detail, with differences marked and each row's result. */
export function ComparisonTable({ comparison: { own, other, score, rows } }: { comparison: Comparison }) {
  const listed = other.reference === null ? wordsOf(other.label) : texts.entry(wordsOf(other.label), other.reference)
  return (
    <>
      <table className="dk-compare">
        <thead>
          <tr>
            <th scope="col">
              <span className="sr-only">{texts.detail}</span>
            </th>
            <th scope="col">
              {wordsOf(own.label)}
              <b>{own.name}</b>
            </th>
            <th scope="col">
              {listed}
              <b>{other.name}</b>
            </th>
            <th scope="col">{texts.compared}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.label}>
              <th scope="row">{labelOf(row.label)}</th>
              <td>
                <Values values={row.own} row={row} />
              </td>
              <td>
                {row.other === null ? (
                  <i className="dk-silent">{texts.notKept}</i>
                ) : (
                  <Values values={row.other} row={row} />
                )}
              </td>
              <td>
                <Verdict compared={row.compared} detail={row.detail} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {score && <p className="dk-compare-note">{texts.countries}</p>}
    </>
  )
}

/** Values shown in a cell; the rest unfolds. */
const mostInSight = 6

function Values({ values, row: { compared } }: { values: readonly ComparedValue[]; row: ComparedRow }) {
  if (values.length === 0) {
    return <i className="dk-silent">{compared === 'not_comparable' ? '–' : facts.compared.not_given}</i>
  }
  const rest = values.slice(mostInSight)
  return (
    <>
      <ValueList values={values.slice(0, mostInSight)} />
      {rest.length > 0 && (
        <details>
          <summary>{texts.more(rest.length)}</summary>
          <ValueList values={rest} />
        </details>
      )}
    </>
  )
}

function ValueList({ values }: { values: readonly ComparedValue[] }) {
  return values.map((value, index) => (
    // Values may repeat, so their position is the key.
    // oxlint-disable-next-line react/no-array-index-key
    <span key={index}>
      {index > 0 && '; '}
      <Value value={value} />
    </span>
  ))
}

function Value({ value }: { value: ComparedValue }) {
  switch (value.kind) {
    case 'text':
      return value.parts.map(({ text, differs }, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <Told key={index} text={text} differs={differs} />
      ))
    case 'date':
      return <Told text={comparedDate(value.text)} differs={value.differs} />
    case 'country':
      return <Told text={countryName(value.text)} differs={value.differs} />
    case 'code':
      return <Told text={wordsOf(value.text)} differs={value.differs} />
  }
}

const Told = ({ text, differs }: { text: string; differs: boolean }) =>
  differs ? <mark className="dk-differs">{text}</mark> : text

const signs: Readonly<Record<Compared, string>> = {
  same: 'M5 9h14M5 15h14',
  close: 'M4 10c2.5-3.5 5.5-3.5 8-1s5.5 2.5 8-1M4 16c2.5-3.5 5.5-3.5 8-1s5.5 2.5 8-1',
  differs: 'M5 9h14M5 15h14M16.5 4.5l-9 15',
  not_given: 'M7 12h10',
  not_comparable: 'M7 12h10',
}

function Verdict({ compared, detail }: { compared: Compared; detail: ComparedDetail | null }) {
  return (
    <span className={`dk-verdict-of dk-is-${compared.replaceAll('_', '-')}`}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={signs[compared]} />
      </svg>
      {verdictText(compared, detail)}
    </span>
  )
}

function verdictText(compared: Compared, detail: ComparedDetail | null): string {
  const word = facts.compared[compared]
  switch (detail?.kind) {
    case undefined:
      return word
    case 'score':
      return texts.with(word, scoreText(detail.basis_points))
    case 'years':
      return texts.with(word, texts.years(detail.years))
    case 'precision':
      return texts.with(word, texts.precision[detail.to])
  }
}
