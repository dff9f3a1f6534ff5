import type { Page } from '@playwright/test'

/** Types a date of birth, such as "1990-02-03", into its three fields. */
export async function fillBirth(page: Page, date: string): Promise<void> {
  const [year = '', month = '', day = ''] = date.split('-')
  await page.getByLabel('Month', { exact: true }).fill(month)
  await page.getByLabel('Day', { exact: true }).fill(day)
  await page.getByLabel('Year', { exact: true }).fill(year)
}

export interface Verification {
  readonly firstName: string
  readonly lastName: string
  readonly dateOfBirth: string
  readonly country: string
  /** Local name of the national ID number, such as `SSN`. */
  readonly idName: string
  readonly idNumber: string
  readonly documentNumber: string
}

export const clickNext = (page: Page) => page.getByRole('button', { name: 'Next' }).click()
export const clickSubmit = (page: Page) => page.getByRole('button', { name: 'Submit Verification' }).click()

/** Fills in all three steps of /register without submitting. */
export async function fillVerification(page: Page, person: Verification): Promise<void> {
  await page.getByLabel('First name').fill(person.firstName)
  await page.getByLabel('Last name').fill(person.lastName)
  await fillBirth(page, person.dateOfBirth)
  await clickNext(page)
  await page.getByLabel('Country of residence').selectOption(person.country)
  await page.getByLabel('Nationality').selectOption(person.country)
  await page.getByLabel('Street address').fill('1 Main Street')
  await page.getByLabel('City').fill('Springfield')
  await page.getByLabel('State/Province').fill('Somewhere')
  await page.getByLabel('Postal code').fill('12345')
  await clickNext(page)
  await page.getByLabel(person.idName, { exact: true }).fill(person.idNumber)
  await page.getByLabel('Document number').fill(person.documentNumber)
}
