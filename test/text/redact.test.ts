import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, redactJson, secretsOf } from '../../src/text/redact.ts';

const words = fc.string({ unit: 'binary', maxLength: 60 });

describe('masking', () => {
  it('leaves no secret in a text, also where one holds another', () => {
    fc.assert(
      fc.property(words, fc.array(fc.string({ minLength: 8, maxLength: 12 })), (text, secrets) => {
        const masked = createRedactor(secrets)(`${text}${secrets.join(text)}`);
        for (const secret of secrets)
          if (!'[redacted]'.includes(secret)) expect(masked).not.toContain(secret);
      }),
    );
    expect(createRedactor(['12345678', '123456789'])('123456789')).toBe('[redacted]');
  });

  it('leaves no secret where secrets overlap, and changes nothing else', () => {
    const unit = fc.constantFrom('a', 'b');
    const secret = fc.string({ unit, minLength: 8, maxLength: 9 });
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), fc.array(secret, { maxLength: 3 }), (text, secrets) => {
        const masked = createRedactor(secrets)(text);
        for (const one of secrets) expect(masked).not.toContain(one);
        if (secrets.every((one) => !text.includes(one))) expect(masked).toBe(text);
      }),
    );
  });

  it('does not touch short values, which occur by chance', () => {
    expect(createRedactor(['1234567'])('1234567')).toBe('1234567');
  });

  it('takes a secret with a dollar sign as it is', () => {
    expect(createRedactor(['pa$$word$&1'])('x pa$$word$&1 y')).toBe('x [redacted] y');
  });

  it.each([
    ['ANTHROPIC_API_KEY', true],
    ['ANTHROPIC_AUTH_TOKEN', true],
    ['AWS_SECRET_ACCESS_KEY', true],
    ['FOO_TOKEN', true],
    ['DATABASE_URL', true],
    ['DB_PASSWORD', true],
    ['SENTRY_DSN', true],
    ['PGPASSWORD', true],
    ['MYSQL_PWD', true],
    ['SSH_PASSPHRASE', true],
    ['GPG_PASSPHRASE_FILE_KEY', true],
    ['npm_config_//registry.example/:_authToken', true],
    ['NPM_CONFIG__AUTH_TOKEN', true],
    ['npm_config__auth', true],
    ['REDISCLI_AUTH', true],
    ['SSH_AUTH_SOCK', false],
    ['XAUTHORITY', false],
    ['AUTHOR', false],
    ['GITHUB_PAT', true],
    ['PWD', false],
    ['OLDPWD', false],
    ['PATTERN', false],
    ['PATH', false],
    ['HOME', false],
    ['KEYBOARD', false],
    ['MONKEY', false],
  ])('%s is a secret: %s', (name, isSecret) => {
    expect(secretsOf({ [name]: 'some-value' })).toEqual(isSecret ? ['some-value'] : []);
  });

  it.each([
    { value: 'sk-ant-1234', text: 'key sk-ant-1234.', masked: 'key [redacted].' },
    { value: ' sk-ant-1234\n', text: 'key sk-ant-1234.', masked: 'key [redacted].' },
    { value: ' 1234567 ', text: 'key 1234567.', masked: 'key 1234567.' },
    { value: ' '.repeat(9), text: `a${' '.repeat(9)}b`, masked: `a${' '.repeat(9)}b` },
    { value: undefined, text: 'undefined', masked: 'undefined' },
  ])('D14: a secret whose value is $value makes $text to $masked', ({ value, text, masked }) => {
    expect(createRedactor(secretsOf({ ANTHROPIC_API_KEY: value }))(text)).toBe(masked);
  });

  it.each([
    { value: 'postgres://me:s3cret-word@db/x', secrets: ['s3cret-word'] },
    { value: 'https://:s3cret-word@proxy:8080', secrets: ['s3cret-word'] },
    {
      value: 'redis://me:s3cret%2Fword@db, redis://me:an@ther-one@db',
      secrets: ['s3cret%2Fword', 's3cret/word', 'an@ther-one'],
    },
    { value: 'http://me:100%-secret@db', secrets: ['100%-secret'] },
    { value: 'http://me:short@db', secrets: [] },
    { value: 'http://proxy.example:8080/a@b', secrets: [] },
    { value: 'ssh://git@example.com/long/path', secrets: [] },
    { value: '/home/me:/usr/bin@2', secrets: [] },
  ])('in a variable of any name, $value holds the secrets $secrets', ({ value, secrets }) => {
    expect(secretsOf({ PROXY: value })).toEqual(secrets);
  });
});

describe('masking of JSON', () => {
  const redact = createRedactor(['50000000', 'a"secret"', 'in-a-key-1']);
  it.each([
    { value: { cost: 50_000_000 }, masked: { cost: 50_000_000 } },
    { value: { text: 'it costs 50000000' }, masked: { text: 'it costs [redacted]' } },
    { value: [['a"secret"', null, true]], masked: [['[redacted]', null, true]] },
    { value: { 'in-a-key-1': { b: 'x' } }, masked: { '[redacted]': { b: 'x' } } },
  ])('makes $value to $masked', ({ value, masked }) => {
    expect(JSON.parse(JSON.stringify(redactJson(value, redact)))).toEqual(masked);
  });
});
