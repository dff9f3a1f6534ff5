import { countries, findCountry, type Region } from '@tern/contract/countries'
import { useMemo, useState } from 'react'
import { type UseFormReturn, useWatch } from 'react-hook-form'
import type { VerificationForm as CheckedForm } from '@tern/contract/kyc/verification-form'
import { kyc } from '#messages/identity/kyc.ts'
import { textLocale } from '../../ui/format/locale.ts'
import { Checkbox } from '../../ui/forms/Checkbox.tsx'
import { SelectField } from '../../ui/forms/SelectField.tsx'
import { TextField } from '../../ui/forms/TextField.tsx'
import { DateField } from './fields/DateField.tsx'
import { nationalityChoices } from './fields/nationality-choices.ts'
import { placeCaret, groupNumber } from './fields/number-groups.ts'
import { type FormField, type FormValues } from './form-fields.ts'
import { acceptedDocuments, regions } from './form-rules.ts'

export type VerificationFormState = UseFormReturn<FormValues, unknown, CheckedForm>

/** Binds a control to the form: its error is shown below it until it is edited. */
export function useFormField({ register, clearErrors, formState }: VerificationFormState) {
  const { errors } = formState
  return (name: FormField, onChange?: (value: string, input: HTMLInputElement) => void) => ({
    ...register(name, {
      onChange: ({ target, nativeEvent }: { target: HTMLInputElement; nativeEvent?: InputEvent }) => {
        clearErrors(name)
        // Unfinished input of an IME must not be changed.
        if (nativeEvent?.isComposing !== true) onChange?.(target.value, target)
      },
    }),
    id: name,
    error: errors[name]?.message,
  })
}

type Fields = ReturnType<typeof useFormField>
/** Attributes for text copied from a document. */
const verbatimInput = { autoComplete: 'off', autoCapitalize: 'characters', spellCheck: false } as const

/**
 * Countries whose national numbers are all digits, for numeric phone keyboards. Not France: Corsican numbers contain
 * letters.
 */
const digitsOnly: ReadonlySet<string> = new Set(['US', 'CA', 'AU', 'DE', 'JP', 'IN', 'BR'])

const extraFormats = { panCard: 'AAAAA9999A', medicareNumber: '9999 99999 9 9' } as const

type RegionChoice = Region | ''

const currencyName = (code: string): string => {
  const name = new Intl.DisplayNames(textLocale(), { type: 'currency' }).of(code)
  return name && name !== code ? `${code}, ${name}` : code
}

/** Email, name and date of birth. People with a single name are not asked for a first name. */
export function PersonFields({ form, field }: { form: VerificationFormState; field: Fields }) {
  const hasSingleName = useWatch({ control: form.control, name: 'singleName' }) !== ''

  function setSingleName(isSingle: boolean) {
    form.setValue('singleName', isSingle ? 'yes' : '')
    form.clearErrors(['firstName', 'lastName', 'singleName'])
  }

  return (
    <>
      <TextField
        className="sm:col-span-2"
        label={kyc.email}
        type="email"
        autoComplete="email"
        readOnly
        {...field('email')}
      />
      {!hasSingleName && (
        <TextField label={kyc.firstName} autoComplete="given-name" maxLength={60} {...field('firstName')} />
      )}
      <TextField
        className={hasSingleName ? 'sm:col-span-2' : undefined}
        label={hasSingleName ? kyc.onlyName : kyc.lastName}
        autoComplete={hasSingleName ? 'name' : 'family-name'}
        maxLength={60}
        {...field('lastName')}
      />
      <div className="-mt-3 sm:col-span-2">
        <Checkbox id="singleName" checked={hasSingleName} onChange={({ target }) => setSingleName(target.checked)}>
          {kyc.singleName}
        </Checkbox>
      </div>
      <TextField
        className="sm:col-span-2"
        optional
        label={kyc.localName}
        hint={kyc.localNameHint}
        autoComplete="off"
        dir="auto"
        maxLength={120}
        {...field('localName')}
      />
      <DateField form={form} />
    </>
  )
}

/** Nationality and address. The country sets the currency and the fields of the next step. */
export function AddressFields({ form, field }: { form: VerificationFormState; field: Fields }) {
  const [region, setRegion] = useState<RegionChoice>('')
  const selectedCountry = useWatch({ control: form.control, name: 'country' })
  const currency = findCountry(selectedCountry)?.currency
  const nationalities = useMemo(() => nationalityChoices(selectedCountry), [selectedCountry])
  const visibleCountries = countries.filter((country) => region === '' || country.region === region)
  const regionNames = new Intl.DisplayNames(textLocale(), { type: 'region' })
  const countryChoices = visibleCountries.map(({ name, code }) => ({
    value: name,
    label: regionNames.of(code) ?? name,
  }))

  function chooseRegion(next: RegionChoice) {
    setRegion(next)
    form.setValue('country', '')
    form.setValue('nationality', '')
  }

  function chooseCountry(name: string) {
    const country = findCountry(name)
    if (!country) return
    form.setValue('currencyPreference', country.currency)
    form.clearErrors(['currencyPreference', 'idNumber', 'documentType'])
    if (!country.documents.some((document) => document === form.getValues('documentType'))) {
      form.setValue('documentType', 'passport')
    }
  }

  return (
    <>
      <SelectField
        label={kyc.region}
        placeholder={kyc.allRegions}
        choices={regions.map((value) => ({ value, label: kyc.regions[value] }))}
        value={region}
        onChange={({ target }) => chooseRegion(target.value as RegionChoice)}
      />
      <SelectField
        label={kyc.country}
        placeholder={kyc.chooseCountry}
        choices={countryChoices}
        autoComplete="country-name"
        {...field('country', chooseCountry)}
      />
      <SelectField
        label={kyc.nationality}
        placeholder={kyc.chooseNationality}
        groups={nationalities}
        {...field('nationality')}
      />
      <div>
        <p className="field-label">{kyc.currency}</p>
        <p className="min-[640px]:flex min-[640px]:items-center min-[640px]:min-h-12">
          {currency ? currencyName(currency) : kyc.currencyLater}
        </p>
      </div>
      <TextField
        className="sm:col-span-2"
        label={kyc.streetAddress}
        autoComplete="street-address"
        {...field('streetAddress')}
      />
      <TextField label={kyc.city} autoComplete="address-level2" {...field('city')} />
      <TextField label={kyc.state} autoComplete="address-level1" {...field('state')} />
      <TextField label={kyc.postalCode} autoComplete="postal-code" {...field('postalCode')} />
    </>
  )
}

/** National number and document, in the formats of the chosen country. */
export function DocumentFields({ form, field }: { form: VerificationFormState; field: Fields }) {
  const countryName = useWatch({ control: form.control, name: 'country' })
  const country = findCountry(countryName)
  const group = (name: FormField, format: string) => (text: string, input: HTMLInputElement) => {
    const groupedText = groupNumber(format, text)
    if (groupedText === text) return
    const caret = placeCaret(groupedText, text, input.selectionStart ?? text.length)
    form.setValue(name, groupedText)
    input.setSelectionRange(caret, caret)
  }
  return (
    <>
      <TextField
        className="sm:col-span-2"
        label={country?.idName ?? kyc.idNumber}
        hint={country && kyc.idHint(country.idFormat)}
        inputMode={country && digitsOnly.has(country.code) ? 'numeric' : undefined}
        {...verbatimInput}
        {...field('idNumber', country && group('idNumber', country.idFormat))}
      />
      {country?.extraField && (
        <TextField
          className="sm:col-span-2"
          optional
          label={kyc[country.extraField]}
          hint={country.extraField === 'panCard' ? kyc.panHint : kyc.medicareHint}
          inputMode={country.extraField === 'panCard' ? undefined : 'numeric'}
          {...verbatimInput}
          {...field(country.extraField, group(country.extraField, extraFormats[country.extraField]))}
        />
      )}
      <SelectField
        label={kyc.documentType}
        choices={acceptedDocuments(countryName).map((value) => ({ value, label: kyc.documentTypes[value] }))}
        {...field('documentType')}
      />
      <TextField label={kyc.documentNumber} {...verbatimInput} {...field('documentNumber')} />
      <TextField
        className="sm:col-span-2"
        optional
        label={kyc.issuingCountry}
        autoComplete="off"
        {...field('issuingCountry')}
      />
    </>
  )
}
