import { citizenships, type Nationality, specialStatuses } from '@tern/contract/kyc/nationalities'
import { language } from '#language'
import { kyc } from '#messages/identity/kyc.ts'
import { textLocale } from '../../../ui/format/locale.ts'
import type { Choice, ChoiceGroup } from '../../../ui/forms/SelectField.tsx'

/** All countries, named and sorted in the page's language. */
function allCountries(): Choice[] {
  const names = language.code === 'en' ? undefined : new Intl.DisplayNames(textLocale(), { type: 'region' })
  const nationalityName = ({ code, name }: Nationality) => names?.of(code) ?? name
  return citizenships
    .map((nationality) => ({ value: nationality.name, label: nationalityName(nationality) }))
    .toSorted((a, b) => a.label.localeCompare(b.label, language.code))
}

const isKnown = (name: string): name is keyof typeof kyc.nationalitiesWithout =>
  Object.hasOwn(kyc.nationalitiesWithout, name)

/** Nationality choices: the chosen country first, then all countries, then entries for people without a nationality. */
export function nationalityChoices(country: string): ChoiceGroup[] {
  const all = allCountries()
  const likelyChoices = all.filter(({ value }) => value === country)
  const withoutChoices = specialStatuses.flatMap(({ name }) =>
    isKnown(name) ? [{ value: name, label: kyc.nationalitiesWithout[name] }] : [],
  )
  const groups = [
    { label: kyc.suggestedNationality, choices: likelyChoices },
    { label: kyc.allNationalities, choices: all },
    { label: kyc.withoutNationality, choices: withoutChoices },
  ]
  return groups.filter(({ choices }) => choices.length > 0)
}
