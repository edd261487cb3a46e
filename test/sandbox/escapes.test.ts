import { testEscapes } from './escapes.ts';

testEscapes({ sandbox: 'bubblewrap', workdirMode: 'ro' });
testEscapes({ sandbox: 'bubblewrap', workdirMode: 'rw' });
