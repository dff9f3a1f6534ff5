import { expect, test } from '@playwright/test'
import { countries } from '../../packages/contract/src/countries.ts'
import { nationalIdOf } from '../../tools/testing/test-national-ids.ts'
import { enroll } from '../../tools/testing/test-people.ts'
import { enter, productUrl, settle, themes, widths } from '../pages.ts'
import { fillBirth, fillVerification, next, submit } from './verifying.ts'
import { expectAccessible, watch } from '../watch.ts'

for (const { name: country, idName, idFormat, currency, extraField } of countries) {
  test(`somebody in ${country} is verified, with a number that is grouped while it is typed`, async ({ page }) => {
    const person = await enroll(productUrl(), 'vera', null)
    const complaints = watch(page)
    await enter(page, person)
    await page.goto('/register')
    const idNumber = nationalIdOf(country)
    const ofCountry = { country, idName, idNumber: idNumber.replaceAll(/[-. ]/g, '') }
    const vera = { firstName: 'Vera', lastName: 'Tester', dateOfBirth: '1990-02-03', documentNumber: 'P1234567' }
    await fillVerification(page, { ...vera, ...ofCountry })
    const field = page.getByLabel(idName, { exact: true })
    await expect(field).toHaveValue(idNumber)
    await expect(page.getByText(`Format: ${idFormat}`)).toBeVisible()
    const letters = /[A-Z]/.test(idNumber) || country === 'France'
    expect(await field.getAttribute('inputmode')).toBe(letters ? null : 'numeric')
    await expect(page.getByLabel(/^PAN card number/)).toHaveCount(extraField === 'panCard' ? 1 : 0)
    await expect(page.getByLabel(/^Medicare number/)).toHaveCount(extraField === 'medicareNumber' ? 1 : 0)
    await submit(page)
    await expect(page.getByText('Verification submitted')).toBeVisible()
    await page.goto('/profile')
    await expect(page.getByText(`Main currency, ${currency}`)).toBeVisible()
    expect(complaints).toEqual([])
  })
}

test('the steps and what is wrong with them fit every width and theme', async ({ browser }) => {
  const person = await enroll(productUrl(), 'wim', null)
  for (const colorScheme of themes) {
    for (const width of widths) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
      const page = await context.newPage()
      const look = async (what: string) => {
        await settle(page)
        await expectAccessible(page)
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), what).toBeLessThanOrEqual(0)
        if (process.env.PICTURES === undefined) return
        await page.screenshot({ path: `${process.env.PICTURES}/${what}-${width}-${colorScheme}.png`, fullPage: true })
      }
      await enter(page, person)
      await page.goto('/register')
      await next(page)
      await expect(page.getByRole('alert')).toBeFocused()
      await look('register-1')
      await page.getByLabel('First name').fill('Wim')
      await page.getByLabel('Last name').fill('Tester')
      await fillBirth(page, '1990-02-03')
      await next(page)
      await look('register-2')
      await context.close()
    }
  }
})
