import { type Category, categories } from '@tern/contract/insight'
import { categoryNames, insights as texts } from '#messages/insight/insights.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { type CategoryChoice, type CategoryChoices, isSameSubject } from './use-category-choice.ts'

interface CategorySelectProps extends Pick<CategoryChoice, 'subject' | 'name'> {
  /** Category chosen for the subject itself. */
  value: Category | null
  /** Category that applies without a choice, if known. */
  fallback?: Category | undefined
  choices: CategoryChoices
}

/** Native list of categories; each choice is stored at once. */
export function CategorySelect({ subject, name, value, fallback, choices: { pending, choose } }: CategorySelectProps) {
  const shown = pending && isSameSubject(pending.subject, subject) ? pending.category : value
  return (
    <span className="input-box category-select">
      <select
        className="input"
        aria-label={texts.categoryOf(name)}
        value={shown ?? ''}
        onChange={({ target }) =>
          choose({ subject, name, previous: value, category: categories.find((one) => one === target.value) ?? null })
        }
      >
        <option value="">{fallback ? texts.automaticIs(categoryNames[fallback]) : texts.automatic}</option>
        {categories.map((category) => (
          <option key={category} value={category}>
            {categoryNames[category]}
          </option>
        ))}
      </select>
      <span className="select-chevron">
        <Icon name="down" />
      </span>
    </span>
  )
}

/** The last choice with a button that takes it back, which stays so that it keeps the focus; or why a choice failed. */
export function LastChoice({ choices: { last, undo, error } }: { choices: CategoryChoices }) {
  return (
    <>
      <p className="last-choice small empty:hidden" role="status">
        {last && texts.chosen(last.name, last.category === null ? texts.automatic : categoryNames[last.category])}
        {last && (
          <button type="button" className="last-choice-undo" onClick={undo}>
            <Icon name="undo" small />
            {texts.undo}
          </button>
        )}
      </p>
      {error && <Note tone="error">{error}</Note>}
    </>
  )
}
