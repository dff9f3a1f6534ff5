import { expect, type Page, test } from '@playwright/test'
import { countries } from '../../packages/contract/src/countries.ts'
import { deleteDocument, listDocuments } from '../../packages/contract/src/kyc/documents.ts'
import { drawPicture } from '@tern/testkit/kyc/pictures'
import { generateNationalId } from '@tern/testkit/national-ids'
import { confirmEmail, enroll } from '@tern/testkit/people'
import { buildLinkPattern, loadMails } from '../mailbox.ts'
import { signInThroughApi, productUrl, settle, themes, widths } from '../pages.ts'
import { dialog, confirmByMail } from '../step-up.ts'
import { delayCalls } from '../send-form.ts'
import { fillBirth, fillVerification, clickNext, clickSubmit } from './verification-form.ts'
import { expectAccessible, expectSoundState, collectPageErrors } from '../page-checks.ts'

for (const { name: country, idName, idFormat, currency, extraField } of countries) {
  test(`a user in ${country} is verified, with a number that is grouped while typing`, async ({ page }) => {
    const person = await enroll(productUrl(), 'vera', null)
    await confirmEmail(person.id)
    const pageErrors = collectPageErrors(page)
    await signInThroughApi(page, person)
    await page.goto('/register')
    const idNumber = generateNationalId(country)
    const countryFields = { country, idName, idNumber: idNumber.replaceAll(/[-. ]/g, '') }
    const vera = { firstName: 'Vera', lastName: 'Tester', dateOfBirth: '1990-02-03', documentNumber: 'P1234567' }
    await fillVerification(page, { ...vera, ...countryFields })
    const field = page.getByLabel(idName, { exact: true })
    await expect(field).toHaveValue(idNumber)
    await expect(page.getByText(`Format: ${idFormat}`)).toBeVisible()
    const hasLetters = /[A-Z]/.test(idNumber) || country === 'France'
    expect(await field.getAttribute('inputmode')).toBe(hasLetters ? null : 'numeric')
    await expect(page.getByLabel(/^PAN card number/)).toHaveCount(extraField === 'panCard' ? 1 : 0)
    await expect(page.getByLabel(/^Medicare number/)).toHaveCount(extraField === 'medicareNumber' ? 1 : 0)
    await clickSubmit(page)
    await expect(page.getByText('Verification submitted')).toBeVisible()
    await page.goto('/profile')
    await expect(page.getByText(`Main currency, ${currency}`)).toBeVisible()
    expect(pageErrors).toEqual([])
  })
}

/** Takes screenshots in both themes if PICTURES names a folder. */
async function takePictures(page: Page, name: string): Promise<void> {
  for (const colorScheme of process.env.PICTURES ? themes : []) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: `${process.env.PICTURES}/${name}-${colorScheme}.png`, fullPage: true })
  }
}

test('the steps and their errors fit every width and theme', async ({ browser }) => {
  const person = await enroll(productUrl(), 'wim', null)
  for (const width of widths) {
    const context = await browser.newContext({ viewport: { width, height: 900 } })
    const page = await context.newPage()
    const checkAndCapture = async (pictureName: string) => {
      await expectSoundState(page, pictureName)
      await takePictures(page, `${pictureName}-${width}`)
    }
    await signInThroughApi(page, person)
    await page.goto('/register')
    await clickNext(page)
    await expect(page.getByRole('alert')).toBeFocused()
    await checkAndCapture('register-1')
    await page.getByLabel('First name').fill('Wim')
    await page.getByLabel('Last name').fill('Tester')
    await fillBirth(page, '2015-02-03')
    const age = 'You must be at least 18 years old to open a wallet'
    const birth = page.getByRole('group', { name: 'Date of birth' })
    await expect(birth, 'refused as soon as it is typed').toContainText(age)
    await expect(page.getByLabel('Year', { exact: true })).toBeFocused()
    await clickNext(page)
    await expect(page.getByRole('alert')).toContainText(age)
    await expect(page.getByRole('heading', { name: 'Who you are' })).toBeVisible()
    await fillBirth(page, '1990-02-03')
    await page.getByLabel('My document shows only one name').check()
    await expect(page.getByLabel('First name')).toHaveCount(0)
    await page.getByLabel('Name', { exact: true }).fill('Wim')
    await checkAndCapture('register-1-single')
    await clickNext(page)
    await checkAndCapture('register-2')
    await context.close()
  }
})

const idaFields = {
  firstName: 'Ida',
  lastName: 'Tester',
  dateOfBirth: '1990-02-03',
  country: 'United States',
  idName: 'SSN',
  documentNumber: 'P1234567',
}

test('a submitted form whose email is unconfirmed asks for it on every page, and mails the link again once', async ({
  page,
}) => {
  const una = await enroll(productUrl(), 'una', null)
  const links = async () =>
    (await loadMails(una.email)).flatMap(({ text }) => buildLinkPattern('verify-email').exec(text)?.[0] ?? [])
  await expect.poll(async () => (await links()).length, { timeout: 120_000 }).toBe(1)
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, una)
  await page.goto('/register')
  await fillVerification(page, { ...idaFields, firstName: 'Una', idNumber: generateNationalId('United States') })
  await clickSubmit(page)
  await expect(page.getByText(/^Confirm your email first/)).toBeVisible()

  const resendButton = page.getByRole('button', { name: 'Send the email again' })
  for (const path of ['/dashboard', '/send', '/receive', '/deposit', '/profile', '/register']) {
    await page.goto(path)
    await expect(page.getByText('Confirm your email', { exact: true }), path).toBeVisible()
    await expect(page.getByText(una.email).last(), path).toBeVisible()
    await expect(resendButton, path).toHaveCount(1)
    await expect(page.getByText('We are checking your identity'), path).toHaveCount(0)
    await expect(page.getByText(/nothing for you to do/i), path).toHaveCount(0)
  }
  await page.goto('/dashboard')
  await resendButton.click()
  await expect(page.getByText(`We sent it again to ${una.email}.`)).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await expect.poll(async () => (await links()).length, { timeout: 120_000 }).toBe(2)
  const otherPage = await page.context().newPage()
  await otherPage.goto((await links())[0] ?? '')
  await expect(otherPage.getByText('Your email has been successfully verified!')).toBeVisible()
  await expect(page.getByText('Confirm your email', { exact: true })).toHaveCount(0, { timeout: 120_000 })
  expect((await links()).length).toBe(2)
  expect(pageErrors).toEqual([])
})

const file = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer })

test('a refused photo states its reason, another one replaces it, stays over a reload and can be replaced', async ({
  page,
}) => {
  const person = await enroll(productUrl(), 'ida', null)
  await confirmEmail(person.id)
  const pageErrors = collectPageErrors(page, /status of 4(03|15|22)|net::ERR_FAILED/)
  await signInThroughApi(page, person)
  await page.goto('/register')
  await fillVerification(page, { ...idaFields, idNumber: generateNationalId('United States') })
  const passport = page.getByRole('group', { name: /^Photo page of your passport/ })
  const fileInput = passport.locator('input[type=file]').first()
  await expect(passport).toContainText('JPEG, PNG, WebP or PDF, up to 10 MB.')
  await settle(page)
  await expectAccessible(page)

  await fileInput.setInputFiles(file('empty.jpg', 'image/jpeg', Buffer.alloc(0)))
  await expect(passport.getByRole('alert')).toContainText('This file is empty (0 bytes).')
  await fileInput.setInputFiles(file('drawing.svg', 'image/svg+xml', Buffer.from('<svg/>')))
  await expect(passport.getByRole('alert')).toContainText('This is a drawing (SVG). Send a photo, a scan or a PDF.')
  await fileInput.setInputFiles(file('huge.jpg', 'image/jpeg', Buffer.alloc(11 * 1024 * 1024)))
  await expect(passport.getByRole('alert')).toContainText('11.5 MB is too large; the limit is 10 MB.')
  await fileInput.setInputFiles(file('scan-final.jpg', 'image/jpeg', Buffer.from('no picture at all')))
  await expect(passport.getByRole('alert')).toContainText('Please upload a photo (JPEG, PNG or WebP) or a PDF.')
  await settle(page)
  await expectAccessible(page)

  const photo = await drawPicture(600, 420).jpeg()
  await page.route('**/upload-document', (route) => route.abort())
  await fileInput.setInputFiles(file('IMG_2207.jpg', 'image/jpeg', photo))
  await expect(passport.getByRole('alert')).toContainText('The connection was lost')
  await page.unroute('**/upload-document')
  await passport.getByRole('button', { name: 'Try again' }).click()
  await expect(passport).toContainText('Received and readable')
  await expect(passport.locator('img')).toBeVisible()
  const loadDocuments = async () => (await person.call(listDocuments, { params: { id: String(person.id) } })).documents
  expect(await loadDocuments()).toMatchObject([
    { document_type: 'passport', side: 'front', content_type: 'image/jpeg' },
  ])

  await page.reload()
  await expect(page.getByText(/^Welcome back\. We kept your draft/)).toBeVisible()
  await expect(passport).toContainText('Received and readable')
  await expect(passport.locator('img')).toHaveCount(0)
  await passport.getByRole('button', { name: /^Show/ }).click()
  await expect(dialog(page)).toContainText('before a photo of your identity document is shown')
  await confirmByMail(page, person)
  await expect(passport.locator('img')).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  const [first] = await loadDocuments()
  await fileInput.setInputFiles(file('better.png', 'image/png', await drawPicture(640, 480).png()))
  await expect.poll(async () => (await loadDocuments()).map(({ id }) => id === first?.id)).toEqual([false])

  await page.getByLabel('Document type').selectOption('drivers_license')
  await expect(page.getByRole('group', { name: /^Driver's License, (front|back)/ })).toHaveCount(2)
  await page.getByLabel('Document type').selectOption('passport')
  await passport.getByRole('button', { name: 'Remove: Photo page of your passport' }).click()
  await expect(passport).toContainText('Whole page, sharp, no glare.')
  expect(await loadDocuments()).toEqual([])
  expect(pageErrors).toEqual([])
})

test('a running upload can be cancelled, and the form waits for it', async ({ page }) => {
  const person = await enroll(productUrl(), 'ida', null)
  await confirmEmail(person.id)
  await signInThroughApi(page, person)
  await page.goto('/register')
  await fillVerification(page, { ...idaFields, idNumber: generateNationalId('United States') })
  const passport = page.getByRole('group', { name: /^Photo page of your passport/ })
  const releaseUpload = await delayCalls(page, '**/upload-document')
  await passport
    .locator('input[type=file]')
    .first()
    .setInputFiles(file('IMG_1.jpg', 'image/jpeg', await drawPicture(600, 400).jpeg()))
  await expect(passport.getByRole('progressbar')).toBeVisible()
  await clickSubmit(page)
  await expect(page.getByText('Your photo is still uploading.')).toBeVisible()
  await expectAccessible(page)
  await passport.getByRole('button', { name: 'Cancel upload of IMG_1.jpg' }).click()
  await expect(passport).toContainText('Whole page, sharp, no glare.')
  releaseUpload()
  await clickSubmit(page)
  await expect(page.getByText('Verification submitted')).toBeVisible()
})

test('a document and its photo fit every width and theme', async ({ browser }) => {
  const person = await enroll(productUrl(), 'ida', null)
  await confirmEmail(person.id)
  const photo = file('IMG_2207.jpg', 'image/jpeg', await drawPicture(600, 420).jpeg())
  for (const width of widths) {
    const context = await browser.newContext({ viewport: { width, height: 900 } })
    const page = await context.newPage()
    await signInThroughApi(page, person)
    await page.goto('/register')
    await fillVerification(page, { ...idaFields, idNumber: generateNationalId('United States') })
    await page.getByLabel('Document type').selectOption('drivers_license')
    const frontGroup = page.getByRole('group', { name: "Driver's License, front" })
    await expect(frontGroup).toBeVisible()
    await expectSoundState(page)
    await frontGroup.locator('input[type=file]').first().setInputFiles(photo)
    await expect(frontGroup).toContainText('Received and readable')
    await page
      .getByRole('group', { name: "Driver's License, back" })
      .locator('input[type=file]')
      .first()
      .setInputFiles(file('x.svg', 'image/svg+xml', Buffer.from('<svg/>')))
    await expectSoundState(page)
    await takePictures(page, `register-3-${width}`)
    const { documents } = await person.call(listDocuments, { params: { id: String(person.id) } })
    for (const { id } of documents)
      await person.call(deleteDocument, { params: { id: String(person.id), documentId: id } })
    await context.close()
  }
})
