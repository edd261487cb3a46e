import { testControls, testEscapes } from './escapes.ts';

testEscapes({ sandbox: 'bubblewrap', workdirMode: 'ro' });
testEscapes({ sandbox: 'bubblewrap', workdirMode: 'rw' });
// What it is known not to hold: src/sandbox/not-held.ts.
testEscapes({ sandbox: 'landlock', workdirMode: 'ro' }, ['state_folder_names']);
testControls();
