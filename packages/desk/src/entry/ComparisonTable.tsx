import type {
  ComparisonResult,
  ComparedDetail,
  ComparedRow,
  ComparedValue,
  Comparison,
} from '@tern/contract/desk/comparison'
import { entries } from '@tern/messages/en/desk/entries'
import { facts } from '@tern/messages/en/desk/facts'
import { classNames } from '@tern/web/ui/icon/class-names.ts'
import { comparedDate, countryName, describeLabel, scoreText, describeCode } from './entry-text.ts'

const texts = entries.comparison
const nameClass = 'block font-display text-[1rem]/5 font-normal text-ink'
const emptyClass = 'text-ink-3 not-italic'

/**
 * Returns the name match score with its review and hold thresholds, then the match status; undefined without either.
 */
export function scoreLine({ score, status }: Comparison): string | undefined {
  const line =
    score && texts.score(scoreText(score.basis_points), scoreText(score.review_from), scoreText(score.hold_from))
  return [line, status && describeCode(status)].filter(Boolean).join(' · ') || undefined
}

/** Table that compares two sides detail by detail, marks differences, and shows the result of each row. */
export function ComparisonTable({ comparison: { own, other, score, rows } }: { comparison: Comparison }) {
  const listClass =
    other.reference === null ? describeCode(other.label) : texts.entry(describeCode(other.label), other.reference)
  return (
    <>
      <table className="dk-record dk-compare">
        <thead>
          <tr>
            <th scope="col" className="@min-[560px]:w-26">
              <span className="visually-hidden">{texts.detail}</span>
            </th>
            <th scope="col">
              {describeCode(own.label)}
              <b className={nameClass}>{own.name}</b>
            </th>
            <th scope="col">
              {listClass}
              <b className={nameClass}>{other.name}</b>
            </th>
            <th scope="col">{texts.compared}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.label}>
              <th scope="row" className="@min-[560px]:w-26">
                {describeLabel(row.label)}
              </th>
              <td className="@min-[560px]:w-[27%] @min-[840px]:w-[38%]">
                <Values values={row.own} row={row} />
              </td>
              <td>
                {row.other === null ? (
                  <i className={emptyClass}>{texts.notKept}</i>
                ) : (
                  <Values values={row.other} row={row} />
                )}
              </td>
              <td className="@max-[560px]:col-start-2 @max-[560px]:row-start-1 @max-[560px]:justify-self-end @max-[560px]:text-end @min-[560px]:w-40">
                <Verdict compared={row.compared} detail={row.detail} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {score && <p className="mt-1.5 text-tiny text-ink-2">{texts.countries}</p>}
    </>
  )
}

/** Number of values that a cell shows; further values are collapsed. */
const maxVisible = 6

function Values({ values, row: { compared } }: { values: readonly ComparedValue[]; row: ComparedRow }) {
  if (values.length === 0) {
    return <i className={emptyClass}>{compared === 'not_comparable' ? '–' : facts.compared.not_given}</i>
  }
  const hiddenValues = values.slice(maxVisible)
  return (
    <>
      <ValueList values={values.slice(0, maxVisible)} />
      {hiddenValues.length > 0 && (
        <details>
          <summary className="cursor-pointer text-sea">{texts.more(hiddenValues.length)}</summary>
          <ValueList values={hiddenValues} />
        </details>
      )}
    </>
  )
}

function ValueList({ values }: { values: readonly ComparedValue[] }) {
  return values.map((value, index) => (
    // Keyed by position, because values may repeat.
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
        <ComparedText key={index} text={text} differs={differs} />
      ))
    case 'date':
      return <ComparedText text={comparedDate(value.text)} differs={value.differs} />
    case 'country':
      return <ComparedText text={countryName(value.text)} differs={value.differs} />
    case 'code':
      return <ComparedText text={describeCode(value.text)} differs={value.differs} />
  }
}

const ComparedText = ({ text, differs }: { text: string; differs: boolean }) =>
  differs ? (
    <mark className="bg-transparent font-bold text-inherit underline decoration-wait decoration-double underline-offset-3 [text-decoration-skip-ink:none]">
      {text}
    </mark>
  ) : (
    text
  )

/** Text classes of each comparison result, and the color of its icon. */
const tones: Readonly<Record<ComparisonResult, string>> = {
  same: '*:stroke-sea',
  close: 'font-strong text-wait',
  differs: 'font-strong *:stroke-sea',
  not_given: 'text-ink-3',
  not_comparable: 'text-ink-3',
}

const signs: Readonly<Record<ComparisonResult, string>> = {
  same: 'M5 9h14M5 15h14',
  close: 'M4 10c2.5-3.5 5.5-3.5 8-1s5.5 2.5 8-1M4 16c2.5-3.5 5.5-3.5 8-1s5.5 2.5 8-1',
  differs: 'M5 9h14M5 15h14M16.5 4.5l-9 15',
  not_given: 'M7 12h10',
  not_comparable: 'M7 12h10',
}

function Verdict({ compared, detail }: { compared: ComparisonResult; detail: ComparedDetail | null }) {
  return (
    <span className={classNames('flex gap-1.5', tones[compared])}>
      <svg
        className="h-4.5 w-3.5 flex-none fill-none stroke-current stroke-2 [stroke-linecap:round]"
        viewBox="0 0 24 24"
        aria-hidden="true"
      >
        <path d={signs[compared]} />
      </svg>
      {verdictText(compared, detail)}
    </span>
  )
}

function verdictText(compared: ComparisonResult, detail: ComparedDetail | null): string {
  const comparedText = facts.compared[compared]
  switch (detail?.kind) {
    case undefined:
      return comparedText
    case 'score':
      return texts.with(comparedText, scoreText(detail.basis_points))
    case 'years':
      return texts.with(comparedText, texts.years(detail.years))
    case 'precision':
      return texts.with(comparedText, texts.precision[detail.to])
  }
}
